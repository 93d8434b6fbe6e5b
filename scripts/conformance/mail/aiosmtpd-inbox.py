"""aiosmtpd on 127.0.0.1 that writes each mail into a directory, with a port for each mode.

Arguments: PORT:MODE with MODE `starttls`, `tls` or `none`, and with `:MECHANISM` where one is left out.
"""

import asyncio
import functools
import json
import os
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

FOLDER = '/var/mail/aiosmtpd'


class Inbox:
    count = 0

    async def handle_DATA(self, server, session, envelope):
        self.count += 1
        unfinished = os.path.join(FOLDER, 'unfinished')
        with open(unfinished, 'wb') as file:
            file.write(envelope.original_content)
        os.rename(unfinished, os.path.join(FOLDER, 'new', '%06d' % self.count))
        return '250 2.0.0 kept'


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain('/etc/certificate.pem', '/etc/key.pem')
    with open('/etc/login.json') as file:
        login = json.load(file)
    inbox = Inbox()

    def authenticate(server, session, envelope, mechanism, auth_data):
        good = isinstance(auth_data, LoginPassword) and (auth_data.login, auth_data.password) == (
            login['user'].encode(),
            login['password'].encode(),
        )
        return AuthResult(success=good, handled=False)

    def protocol(mode, left_out):
        return SMTP(
            inbox,
            enable_SMTPUTF8=True,
            tls_context=context if mode == 'starttls' else None,
            require_starttls=mode == 'starttls',
            authenticator=authenticate,
            auth_required=True,
            auth_require_tls=mode == 'starttls',
            auth_exclude_mechanism=[left_out] if left_out else None,
        )

    loop = asyncio.get_running_loop()
    for argument in sys.argv[1:]:
        port, mode, left_out = (argument + ':').split(':')[:3]
        tls = context if mode == 'tls' else None
        await loop.create_server(functools.partial(protocol, mode, left_out), '127.0.0.1', int(port), ssl=tls)
    await asyncio.Event().wait()


asyncio.run(main())
