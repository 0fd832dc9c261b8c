"""The secrets of a match: the code that people type, the keys derived from the code, and the
encryption and signature of messages.

The code has 50 bits, and the function scrypt makes guesses slow. The owner of the broker sees only
the topic, and would need millions of years of processor time to find the code.

Each table signs its messages with Ed25519, because a shared key would not show which table wrote a
message. The messages are encrypted with the key derived from the code (XSalsa20-Poly1305).
Signatures and encryption use libsodium.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Annotated

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard_online.far.match import Spoken, decode

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's alphabet, without I, L, O and U.
LIKE = str.maketrans("ILO", "110")
CODE_LENGTH = 10
SALT = b"tiltboard far 1"
KEY_BYTES = 32
MAX_BYTES = 96 * 1024  # Maximum size of an encrypted message in bytes.
TOPIC = "tiltboard/1/match"


def new_code() -> str:
    """Return a random code for a new match: ten letters and digits, with a dash after five."""
    made = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
    return f"{made[:5]}-{made[5:]}"


def read_code(typed: str) -> str:
    """Return a typed code in the same form as a code from ``new_code``. Raises NotPossibleError if
    the code is invalid.
    """
    plain = "".join(typed.upper().translate(LIKE).replace("-", " ").split())
    if len(plain) != CODE_LENGTH or any(each not in LETTERS for each in plain):
        raise NotPossibleError(
            "{code} is not the code of a match.",
            remedy="It has ten letters and digits, such as 7KQ2M-XWD9F.",
            code=repr(typed[:40]),
        )
    return f"{plain[:5]}-{plain[5:]}"


class Keys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of one match at one table, in hexadecimal.

    ``id`` and ``key`` are derived from the code. ``seed`` is the table's own secret and never
    leaves the table.
    """

    id: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    seed: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]

    @classmethod
    def of(cls, code: str) -> Keys:
        """Return the keys derived from a code. ``code``: a code that ``read_code`` has returned.
        The derivation takes 32 MiB of memory and a few tenths of a second.
        """
        stretched = hashlib.scrypt(
            code.replace("-", "").encode(), salt=SALT, n=1 << 15, r=8, p=1,
            maxmem=1 << 26, dklen=16 + KEY_BYTES,
        )  # fmt: skip
        return cls(stretched[:16].hex(), stretched[16:].hex(), secrets.token_hex(KEY_BYTES))

    @property
    def topic(self) -> str:
        """The topic on the broker under which the tables of this match publish."""
        return f"{TOPIC}/{self.id}"


class Seal:
    """Encrypts and decrypts the messages of one match."""

    def __init__(self, keys: Keys) -> None:
        from nacl.secret import SecretBox
        from nacl.signing import SigningKey

        self._box = SecretBox(bytes.fromhex(keys.key))
        self._signer = SigningKey(bytes.fromhex(keys.seed))
        self.table: str = self._signer.verify_key.encode().hex()
        """The public key of this table, which identifies the table to other tables."""

    def close(self, spoken: Spoken) -> bytes:
        """Return an encrypted message: a nonce of 24 bytes, followed by the encrypted signature (64
        bytes) and JSON.
        """
        return bytes(self._box.encrypt(bytes(self._signer.sign(msgspec.json.encode(spoken)))))

    def open(self, table: str, message: bytes) -> Spoken:
        """Return the decrypted message from the table with the public key ``table``. Raises
        ValueError if the message is invalid.
        """
        from nacl.exceptions import CryptoError
        from nacl.signing import VerifyKey

        if len(message) > MAX_BYTES:
            raise ValueError(f"A message of {len(message)} bytes; {MAX_BYTES} are the most.")
        try:
            signed = self._box.decrypt(message)
            return decode(VerifyKey(bytes.fromhex(table)).verify(signed))
        except (CryptoError, TypeError, ValueError, msgspec.DecodeError, RecursionError) as error:
            raise ValueError("It is not sealed, signed or written as it must be.") from error
