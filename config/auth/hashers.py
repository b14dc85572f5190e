"""Argon2id at a cost that a small machine can run several times at once (OWASP: 19 MiB, t=2)."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class ClubArgon2PasswordHasher(Argon2PasswordHasher):
    time_cost = 2
    memory_cost = 32 * 1024
    parallelism = 1
