"""What a homeserver for tests needs to be told: one folder, one loopback port, nothing sent elsewhere, no limits."""

import base64
import json
import secrets
from pathlib import Path

SERVER_NAME = "lyra.test"
_UNLIMITED = {"per_second": 10_000, "burst_count": 10_000}


def write(folder: Path, port: int, **settings: object) -> Path:
    """Write configuration, logging and signing key into a folder, and return the path of the configuration."""
    config, log, key = folder / "homeserver.yaml", folder / "log.yaml", folder / "signing.key"
    # JSON is YAML. The key is made here because `--generate-keys` costs one more start of Synapse.
    config.write_text(json.dumps(_homeserver(folder, port) | {"log_config": str(log), "signing_key_path": str(key)} | settings))
    log.write_text(json.dumps(_logging(folder)))
    key.write_text(f"ed25519 a_test {base64.b64encode(secrets.token_bytes(32)).decode().rstrip('=')}\n")
    return config


def _homeserver(folder: Path, port: int) -> dict[str, object]:
    listener = {"port": port, "type": "http", "tls": False, "bind_addresses": ["127.0.0.1"], "resources": [{"names": ["client"]}]}
    return _limits() | {
        "server_name": SERVER_NAME,
        "public_baseurl": f"http://127.0.0.1:{port}/",
        "listeners": [listener],
        "database": {"name": "sqlite3", "args": {"database": str(folder / "homeserver.db")}},
        "media_store_path": str(folder / "media"),
        "macaroon_secret_key": secrets.token_hex(),
        "form_secret": secrets.token_hex(),
        "enable_registration": True,
        "enable_registration_without_verification": True,
        "bcrypt_rounds": 4,
        "federation_domain_whitelist": [],
        "trusted_key_servers": [],
        "presence": {"enabled": False},
        "report_stats": False,
        "url_preview_enabled": False,
        # What nobody here asks for, and every event would pay for.
        "stats": {"enabled": False},
        "user_directory": {"enabled": False},
        "update_user_directory_from_worker": "nobody",
        "enable_metrics": False,
        "push": {"enabled": False},
        "send_federation": False,
        "notify_appservices_from_worker": "nobody",
        "caches": {"expire_caches": False},
        # It looks ten times a second whether to collect, and a run is short.
        "gc_thresholds": [1_000_000, 1_000, 1_000],
    }


def _limits() -> dict[str, object]:
    return {
        "rc_message": _UNLIMITED,
        "rc_registration": _UNLIMITED,
        "rc_login": {"address": _UNLIMITED, "account": _UNLIMITED, "failed_attempts": _UNLIMITED},
        "rc_admin_redaction": _UNLIMITED,
        "rc_joins": {"local": _UNLIMITED, "remote": _UNLIMITED},
        "rc_joins_per_room": _UNLIMITED,
        "rc_invites": {"per_room": _UNLIMITED, "per_user": _UNLIMITED, "per_issuer": _UNLIMITED},
        "rc_room_creation": _UNLIMITED,
        "rc_key_requests": _UNLIMITED,
        "rc_media_create": _UNLIMITED,
    }


def _logging(folder: Path) -> dict[str, object]:
    handler = {"class": "logging.FileHandler", "filename": str(folder / "homeserver.log")}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"file": handler},
        "root": {"level": "WARNING", "handlers": ["file"]},
    }
