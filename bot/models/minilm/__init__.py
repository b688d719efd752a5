"""The local embedding model: all-MiniLM-L6-v2, run by ONNX Runtime or in numpy, with no server, no account and no network.

Texts come in; out come unit vectors. The weights are files of a package, verified before use.
"""
