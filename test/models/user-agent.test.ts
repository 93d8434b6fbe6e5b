import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientName } from '../../src/models/user-agent.ts'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

describe('clientName()', () => {
  for (const [agent, wanted] of [
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox on Android'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 OPR/120.0`, 'Opera on Windows'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      `Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
      'Samsung Internet on Android',
    ],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
      'Chrome on iPad',
    ],
    ['Mozilla/5.0 (compatible; Something/1.0)', 'Browser'],
    ['Dart/3.9 (dart:io)', 'Dart app'],
    ['curl/8.5.0', 'curl'],
    ['Wget/1.21.4', 'Wget'],
    ['python-requests/2.32.3', 'Python program'],
    ['PostmanRuntime/7.43.0', 'Postman'],
    ['node', 'Node.js'],
    ['undici', 'Node.js'],
    ['Deno/2.9.6', 'Deno'],
    ['okhttp/4.12.0', 'okhttp'],
    ['MyReader/12 CFNetwork/1568 Darwin/24.0', 'MyReader'],
    // The label of a token, or what is none of these.
    ['nightly import', 'nightly import'],
    ['token file', 'token file'],
    ['', ''],
    ['😀'.repeat(61), `${'😀'.repeat(59)}…`],
    ['toString/1.0', 'toString'],
  ] as const) {
    it(`names ${JSON.stringify(agent.slice(0, 60))} ${JSON.stringify(wanted)}`, () => {
      assert.equal(clientName(agent), wanted)
    })
  }
})
