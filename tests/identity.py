"""An issuer of identity tokens, as the single sign-on of an organisation has one."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "hoptrail"
ISSUER = "https://login.example.org"


class Issuer:
    """Makes keys and signs tokens.

    Args:
        key_id: Of its key.
        curve: Whether the key is one of an elliptic curve, else RSA.
    """

    def __init__(self, key_id: str = "one", *, curve: bool = True) -> None:
        self._key_id = key_id
        self._key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
        if curve:
            self._key, self._algorithm = ec.generate_private_key(ec.SECP256R1()), "ES256"
        else:
            self._key, self._algorithm = rsa.generate_private_key(65537, 2048), "RS256"

    def jwk(self) -> dict[str, Any]:
        """Return the public key as a JSON Web Key."""
        public: Any = self._key.public_key()
        form = ECAlgorithm if self._algorithm == "ES256" else RSAAlgorithm
        return {**form.to_jwk(public, as_dict=True), "kid": self._key_id, "alg": self._algorithm}

    def write_key_set(self, file: Path, *others: Issuer) -> Path:
        """Write its key, and those of others, as a JSON Web Key Set."""
        file.write_text(json.dumps({"keys": [one.jwk() for one in (self, *others)]}))
        return file

    def write_pem(self, file: Path) -> Path:
        """Write its public key as PEM."""
        public = self._key.public_key()
        file.write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
        return file

    def token(self, **claims: Any) -> str:
        """Return a token about anna for a minute; a claim that is None is left out."""
        said = {
            "sub": "anna",
            "aud": AUDIENCE,
            "iss": ISSUER,
            "exp": int(time.time()) + 60,
            **claims,
        }
        kept = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(kept, self._key, self._algorithm, headers={"kid": self._key_id})
