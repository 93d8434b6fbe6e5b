/** The image of examples/container and the files beside it: what they name exists. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { SECRETS } from '../../src/config/secrets.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { ENDPOINTS } from '../../src/endpoints/endpoints.ts'
import { runHere } from '../support/service/in-process.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples/container')
const FILES = readdirSync(EXAMPLES).sort()
const read = (name: string): string => readFileSync(join(EXAMPLES, name), 'utf8')
const DOCKERFILE = read('Dockerfile')
const OWNER = 10001

describe('the container files', () => {
  const variables: ReadonlySet<string> = new Set([...SETTINGS.flatMap(({ environment }) => environment), ...SECRETS])
  const paths = new Set(ENDPOINTS.map(({ path }) => path))

  for (const name of FILES) {
    it(`${name} names variables, paths, ports and commands that exist`, async () => {
      const text = read(name)
      const settings = text.replace(/^\s*#.*$/gm, '')
      assert.deepEqual([...settings.matchAll(/\bDATELINE_\w+/g)].map(String).filter((one) => !variables.has(one)), [])
      assert.deepEqual([...text.matchAll(/\/(?:healthz|readyz|metrics)\w*/g)].map(String).filter((one) => !paths.has(one)), [])
      for (const [, port] of text.matchAll(/\b(?:dateline:|containerPort: |EXPOSE |port: )(\d+)/g)) assert.equal(port, '8080')
      for (const [, command = '', rest = ''] of text.matchAll(/^#.* dateline (admin|health|token)\b(.*)$/gm)) {
        const { stdout } = await runHere(['help', command])
        for (const [flag] of rest.matchAll(/--[a-z-]+/g)) assert.match(stdout, new RegExp(`^  ${flag} `, 'm'))
      }
    })
  }

  it('the image runs as no root, keeps its data in a volume, and checks its health without a shell', () => {
    assert.match(DOCKERFILE, /^USER 10001:10001$/m)
    assert.match(DOCKERFILE, /^VOLUME \/data$/m)
    assert.match(DOCKERFILE, /^HEALTHCHECK .* CMD \["dateline", "health"\]$/m)
    assert.match(DOCKERFILE, /^CMD \["serve"\]$/m)
    const manifest = read('kubernetes.yaml')
    for (const line of ['readOnlyRootFilesystem: true', 'runAsNonRoot: true', 'enableServiceLinks: false', `runAsUser: ${OWNER}`])
      assert.ok(manifest.includes(line), line)
    assert.match(read('compose.yaml'), /^ {4}read_only: true$/m)
  })
})
