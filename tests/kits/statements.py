"""Every statement of memory, read from its source: whatever is handed to a store, with all that it may be put together from.

Texts are followed through names, f-strings, `format`, parameters and what functions return. What cannot be followed is an
error, so that no statement stays unseen: write it plainer.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import memory

ROOT = Path(memory.__file__).parent
_PORT = ("all", "one", "run", "many", "free")
_PAGED = ("paged", "run_paged")
"""What runs a statement for whoever calls it, in whose module the statement is."""
Texts = frozenset[str]
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Unresolved(Exception):
    """What a statement is put together from cannot be read from the source."""


@dataclass(frozen=True)
class Statement:
    """One text that a store may be handed, the module that hands it over, and the line."""

    module: str
    line: int
    sql: str


class Module:
    """One file: its tree, what stands around each node, and what is imported under which name."""

    def __init__(self, path: Path, root: Path) -> None:
        self.name = ".".join((root.name, *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        self.tree = ast.parse(path.read_text("utf-8"))
        nodes = [*ast.walk(self.tree)]
        self._around = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
        self.calls = [node for node in nodes if isinstance(node, ast.Call)]
        self.functions = [node for node in nodes if isinstance(node, Function)]
        self.imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def called(self, call: ast.Call) -> tuple[str, str]:
        """Return the module of the function that is called, '' for a method, and its name."""
        match call.func:
            case ast.Name(id=name):
                origin, _, original = self.imported.get(name, f"{self.name}.{name}").rpartition(".")
                return origin, original
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                return self.imported.get(name, ""), attribute
            case ast.Attribute(attr=attribute):
                return "", attribute
        return "", ""

    def function(self, node: ast.AST) -> Function | None:
        """Return the function that a node stands in."""
        at = self._around.get(node)
        while at is not None and not isinstance(at, Function):
            at = self._around.get(at)
        return at


@dataclass(frozen=True)
class Scope:
    """Where an expression stands, and what its function was called with, where that is known."""

    module: Module
    function: Function | None = None
    given: Mapping[str, Texts] = field(default_factory=dict)


class Source:
    """The modules of a package, without the port and the two kinds of store behind it, and the texts of their expressions."""

    def __init__(self, root: Path = ROOT) -> None:
        stores = {root / "store" / name for name in ("database.py", "postgresql", "sqlite")}
        modules = (Module(path, root) for path in sorted(root.rglob("*.py")) if stores.isdisjoint((path, *path.parents)))
        self.modules = {module.name: module for module in modules}
        self._followed: set[tuple[Function, str]] = set()

    def statements(self) -> Iterator[Statement]:
        """Yield every statement, once for each text that it may have. Raises Unresolved."""
        for module in self.modules.values():
            for call in module.calls:
                function, name = module.function(call), module.called(call)[1]
                is_paged = name in _PAGED
                if (function and function.name in _PAGED) or not (
                    is_paged or (isinstance(call.func, ast.Attribute) and name in _PORT)
                ):
                    continue
                given = [*call.args[is_paged:], *(keyword.value for keyword in call.keywords if keyword.arg == "sql")]
                if not given:
                    continue
                found = self.texts(given[0], Scope(module, function))
                if not found:
                    raise self._unresolved(given[0], module)
                for sql in sorted(found):
                    sql = sql.format(within=":w0, :w1") if is_paged else sql
                    yield Statement(module.name, call.lineno, " ".join(sql.split()))

    def texts(self, node: ast.expr, scope: Scope) -> Texts:
        """Return every text that an expression may be. Raises Unresolved."""
        match node:
            case ast.Constant():
                return frozenset({str(node.value)})
            case ast.JoinedStr():
                return _joined(self.texts(part, scope) for part in node.values)
            case ast.FormattedValue() | ast.Starred():
                return self.texts(node.value, scope)
            case ast.BinOp(op=ast.Add()):
                return _joined((self.texts(node.left, scope), self.texts(node.right, scope)))
            case ast.IfExp():
                return self.texts(node.body, scope) | self.texts(node.orelse, scope)
            case ast.Tuple() | ast.List():
                return self._any(node.elts, scope)
            case ast.Subscript(value=ast.Dict(values=values)):
                return self._any(values, scope)
            case ast.Call(func=ast.Name(id="range")) | ast.Subscript(value=ast.Call(func=ast.Name(id="enumerate"))):
                return frozenset({"0"})
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=int(at))):
                return self._returned(call, scope, at)
            case ast.Subscript():
                return self.texts(node.value, scope)
            case ast.Dict():
                return self._any(node.values, scope)
            case ast.Name():
                return self._named(node, node.id, scope)
            case ast.Attribute(value=ast.Name(id=name)) if scope.module.imported.get(name) in self.modules:
                return self._named(node, node.attr, Scope(self.modules[scope.module.imported[name]]))
            case ast.Attribute(attr=name):
                return self._any_returned(
                    node, [(m, f, {}) for m in self.modules.values() for f in m.functions if _texty(f, name)]
                )
            case ast.Call(func=ast.Attribute(value=value, attr="format")):
                keys = [keyword.arg or "" for keyword in node.keywords]
                given = product(*(self.texts(keyword.value, scope) for keyword in node.keywords))
                return frozenset(
                    text.format(**dict(zip(keys, some, strict=True))) for some in given for text in self.texts(value, scope)
                )
            case ast.Call(
                func=ast.Attribute(value=value, attr="replace"), args=[ast.Constant(value=old), ast.Constant(value=new)]
            ):
                return frozenset(text.replace(str(old), str(new)) for text in self.texts(value, scope))
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=between), attr="join"), args=[ast.GeneratorExp(elt=one)]):
                return frozenset(str(between).join((text, text)) for text in self.texts(one, scope))
            case ast.Call(func=ast.Name(id="placeholders"), args=[ast.Constant(value=str(prefix)), _]):
                return frozenset({f":{prefix}0, :{prefix}1"})
            case ast.Call():
                return self._returned(node, scope)
        raise self._unresolved(node, scope.module)

    def _any(self, nodes: list[ast.expr], scope: Scope) -> Texts:
        return frozenset().union(*(self.texts(node, scope) for node in nodes))

    def _named(self, node: ast.expr, name: str, scope: Scope) -> Texts:
        if name in scope.given:
            return scope.given[name]
        function = scope.function
        while function is not None:
            if values := list(_assigned(name, function)):
                return self._any(values, scope)
            if name in (one.arg for one in (*function.args.args, *function.args.kwonlyargs)):
                return self._handed(name, function, scope.module)
            function = scope.module.function(function)
        if values := list(_assigned(name, scope.module.tree)):
            return self._any(values, Scope(scope.module))
        origin, _, original = scope.module.imported.get(name, "").rpartition(".")
        if origin in self.modules:
            return self._named(node, original, Scope(self.modules[origin]))
        raise self._unresolved(node, scope.module)

    def _handed(self, name: str, function: Function, home: Module) -> Texts:
        """Return what a parameter is given by every call of its function; a private one is called in its module alone."""
        if (function, name) in self._followed:
            return frozenset()
        self._followed.add((function, name))
        found: Texts = frozenset()
        for module in [home] if function.name.startswith("_") else self.modules.values():
            for call in module.calls:
                origin, called = module.called(call)
                # What an object's method is of is not known: each of that name may be meant.
                meant = called == function.name and origin in (home.name, "") and bool(origin) != _is_method(function)
                value = _arguments(function, call).get(name) if meant else None
                if value is not None:
                    found |= self.texts(value, Scope(module, module.function(call)))
        self._followed.discard((function, name))
        return found

    def _returned(self, call: ast.Call, scope: Scope, at: int | None = None) -> Texts:
        """Return what the function that is called may return, or the part of it at an index."""
        origin, name = scope.module.called(call)
        module = self.modules.get(origin, scope.module)
        calls = []
        for function in module.functions:
            if function.name == name:
                given = {
                    key: self.texts(value, scope) for key, value in _arguments(function, call).items() if _is_text(value, scope)
                }
                calls.append((module, function, given))
        return self._any_returned(call, calls, at)

    def _any_returned(
        self, node: ast.expr, calls: list[tuple[Module, Function, dict[str, Texts]]], at: int | None = None
    ) -> Texts:
        found: Texts = frozenset()
        for module, function, given in calls:
            for end in ast.walk(function):
                if isinstance(end, ast.Return) and end.value is not None:
                    value = end.value.elts[at] if at is not None and isinstance(end.value, ast.Tuple) else end.value
                    found |= self.texts(value, Scope(module, function, given))
        if not found:
            raise self._unresolved(node, calls[0][0] if calls else None)
        return found

    def _unresolved(self, node: ast.expr, module: Module | None) -> Unresolved:
        return Unresolved(f"{module.name if module else '?'}:{node.lineno}: {ast.unparse(node)}")


def writers(statements: Iterable[Statement]) -> dict[str, set[str]]:
    """Return which modules write each table."""
    found: dict[str, set[str]] = {}
    for statement in statements:
        for table in _WRITES.findall(statement.sql):
            found.setdefault(table, set()).add(statement.module)
    return found


_WRITES = re.compile(r"\b(?:INSERT INTO|(?<!DO )UPDATE|DELETE FROM) (\w+)")


def _joined(parts: "Iterator[Texts] | tuple[Texts, ...]") -> Texts:
    return frozenset("".join(some) for some in product(*parts))


def _is_method(function: Function) -> bool:
    return bool(function.args.args) and function.args.args[0].arg in ("self", "cls")


def _texty(function: Function, name: str) -> bool:
    return function.name == name and isinstance(function.returns, ast.Name) and function.returns.id == "str"


def _is_text(value: ast.expr, scope: Scope) -> bool:
    if isinstance(value, ast.Name):
        return value.id in scope.given
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))


def _arguments(function: Function, call: ast.Call) -> dict[str, ast.expr]:
    """Return what a call gives to the parameters of a function, with the defaults of the others."""
    names = [one.arg for one in function.args.args if one.arg not in ("self", "cls")]
    given = dict(zip(names[len(names) - len(function.args.defaults) :], function.args.defaults, strict=True))
    for one, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if default is not None:
            given[one.arg] = default
    given |= dict(zip(names, call.args, strict=False))
    return given | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def _assigned(name: str, within: ast.AST) -> Iterator[ast.expr]:
    """Yield what a name is given in a function or a module: by itself, beside others, or as one of many."""
    for node in ast.walk(within):
        match node:
            case ast.Assign(targets=[target], value=value) | ast.For(target=target, iter=value):
                pass
            case ast.NamedExpr(target=target, value=value) | ast.comprehension(target=target, iter=value):
                pass
            case _:
                continue
        if isinstance(target, ast.Name) and target.id == name:
            yield value
        elif isinstance(target, ast.Tuple):
            for at, one in enumerate(target.elts):
                if isinstance(one, ast.Name) and one.id == name:
                    yield value.elts[at] if isinstance(value, ast.Tuple) else ast.Subscript(value, ast.Constant(at))
