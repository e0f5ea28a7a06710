"""The user that a service becomes: never one that jobs have."""

from __future__ import annotations

import pwd
from typing import ClassVar

import pytest

from i2s_chassis.errors import StartError
from i2s_chassis.renderer import RendererSettings
from i2s_chassis.server.service_user import UserAccount, account_of


class SomeSettings(RendererSettings):
    service: ClassVar[str] = "some"
    port: ClassVar[int] = 7710


def test_each_kind_of_service_has_a_user() -> None:
    assert account_of(SomeSettings()) == UserAccount(51_710, 51_710)


def test_a_number_needs_no_entry() -> None:
    assert account_of(SomeSettings(user="60123")) == UserAccount(60_123, 60_123)


def test_a_name_brings_its_groups() -> None:
    nobody = pwd.getpwnam("nobody")
    account = account_of(SomeSettings(user="nobody"))
    assert (account.uid, account.gid) == (nobody.pw_uid, nobody.pw_gid)
    assert nobody.pw_gid in account.groups


@pytest.mark.parametrize("user", ["52000", "52255", "65533"])
def test_users_of_jobs_are_refused(user: str) -> None:
    with pytest.raises(StartError, match=f"--user {user}: .* kept for jobs"):
        account_of(SomeSettings(user=user))


def test_jobs_that_would_have_the_usual_user_are_refused() -> None:
    with pytest.raises(StartError, match="51710 is kept for jobs"):
        account_of(SomeSettings(jail_uid_base=51_600))


@pytest.mark.parametrize("user", ["no-such-user", "4294967295", "-1"])
def test_who_does_not_exist_is_refused(user: str) -> None:
    with pytest.raises(StartError, match=f"--user {user}: there is no"):
        account_of(SomeSettings(user=user))
