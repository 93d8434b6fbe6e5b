/** The test suite of AWS Signature Version 4, which the source package of botocore has. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { authorization, escapePath, sha256 } from '../../../src/offsite/s3-signing.ts'
import type { CheckRun } from '../conformance.ts'
import { sourcePackage } from '../fetched-tools.ts'

const BOTOCORE = { name: 'botocore', version: '1.44.8', sha256: '945b783c1a1259e2a8b078f3f3dd40fae32ea84ab01d3a9953af6b378da7108a', folder: 'tests/unit/auth/aws4_testsuite' }
const KEY = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const SCOPE = { key: KEY, region: 'us-east-1', service: 'service', now: Date.UTC(2015, 7, 30, 12, 36) }
/** Paths as other services than S3 normalize them: in S3 a key may have `..` in it. And tokens of temporary keys, which no place has. */
const LEFT_OUT: readonly string[] = ['normalize-path', 'post-sts-token', 'get-vanilla-with-session-token']

export function checkSignatures({ say }: CheckRun): void {
  const directory = sourcePackage(BOTOCORE)
  const names = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !LEFT_OUT.includes(entry.name)).map(({ name }) => name)
  for (const name of names) {
    const file = (ending: string): string => readFileSync(join(directory, name, `${name}.${ending}`), 'utf8')
    assert.equal(authorization(readRequest(file('req')), SCOPE), file('authz').trim(), name)
  }
  assert.ok(names.length > 20)
  say(`${names.length} signatures are those of the suite of AWS`)
}

/** A request as the suite writes it: headers may be folded, and come several times. */
function readRequest(text: string): Parameters<typeof authorization>[0] {
  const [head = '', ...bodies] = text.replaceAll('\r\n', '\n').split('\n\n')
  const [first = '', ...lines] = head.split('\n')
  const [, method = '', target = ''] = /^(\S+) (.*) HTTP\/1\.1$/.exec(first) ?? []
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const headers: Record<string, string> = {}
  let last = ''
  for (const line of lines) {
    const [, name, value = line] = /^([A-Za-z0-9-]+):(.*)$/.exec(line) ?? []
    last = name?.toLowerCase() ?? last
    const before = headers[last]
    headers[last] = before === undefined ? value.trim() : `${before}${name === undefined ? ' ' : ','}${value.trim()}`
  }
  const pairs = query === '' ? [] : query.split('&').map((pair) => pair.split(/=(.*)/s).map(decodeURIComponent)).map(([key = '', value = '']) => [key, value] as const)
  return { method, path: escapePath(decodeURIComponent(path)), query: pairs, headers, bodyHash: sha256(bodies.join('\n\n')) }
}
