/**
 * A certificate for mail servers in tests, with its key: self-signed, for the names `localhost` and
 * `mail.example.test` (and for no IP address), valid from 2020 to 2120. Its key is public, so it protects nothing.
 */

export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlDCCATugAwIBAgICEAEwCgYIKoZIzj0EAwIwJDEiMCAGA1UEAwwZRGF0ZWxp
bmUgdGVzdCBtYWlsIHNlcnZlcjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAw
MDAwMFowJDEiMCAGA1UEAwwZRGF0ZWxpbmUgdGVzdCBtYWlsIHNlcnZlcjBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABOKTDHIHSS6U/smQmwPbPF77rXzQTVFezfWf
jLOxtNcFnok5SO7hSC9M+J5x8B045hmS9Iq4Ye2yv8B3mvCMEVKjWzBZMA8GA1Ud
EwEB/wQFMAMBAf8wJwYDVR0RBCAwHoIJbG9jYWxob3N0ghFtYWlsLmV4YW1wbGUu
dGVzdDAdBgNVHQ4EFgQUEUr7Y478BpNTvs51ljk416rX87wwCgYIKoZIzj0EAwID
RwAwRAIgVzquCwXD6uTKhzd/5d0USMkahz86YyOlrry96JyW5fACIDvOmxyyXj/h
/WHKlU7q0w4YDTIoTFkanKOF6pbOCHN/
-----END CERTIFICATE-----
`

export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgP5C5J49uDgQHLZdS
p9FrG5mgv0TJ5v2i6rFUdQEjOGKhRANCAATikwxyB0kulP7JkJsD2zxe+6180E1R
Xs31n4yzsbTXBZ6JOUju4UgvTPiecfAdOOYZkvSKuGHtsr/Ad5rwjBFS
-----END PRIVATE KEY-----
`
