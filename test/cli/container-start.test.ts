/**
 * The service in a container: variables that Docker and Kubernetes add for services beside it, and the health check.
 * Once, a Kubernetes service named `dateline` kept the pod from starting: DATELINE_SERVICE_HOST was an unknown setting.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { effectiveSettings, readConfig } from '../../src/config/read-config.ts'
import { serviceLinkWarnings } from '../../src/config/service-links.ts'
import { runHere, serveCheaply } from '../support/service/in-process.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

/** Of a service `dateline` with the port 8080, named http, as kubelet sets them; the last two are Docker's. */
const LINKS = {
  DATELINE_SERVICE_HOST: '10.96.0.7',
  DATELINE_SERVICE_PORT: '8080',
  DATELINE_SERVICE_PORT_HTTP: '8080',
  DATELINE_PORT: 'tcp://10.96.0.7:8080',
  DATELINE_PORT_8080_TCP: 'tcp://10.96.0.7:8080',
  DATELINE_PORT_8080_TCP_PROTO: 'tcp',
  DATELINE_PORT_8080_TCP_PORT: '8080',
  DATELINE_PORT_8080_TCP_ADDR: '10.96.0.7',
  DATELINE_NAME: '/web/dateline',
  DATELINE_PORT_8080_TCP_START: 'tcp://172.17.0.5:8080',
}

it('the service starts beside services of its name, says so once, and health finds it', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const service = await serveCheaply(t, ['--data-dir', data], { environment: LINKS })
  const port = String(service.ready['port'])
  const warnings = service.output().stderr.split('\n').filter((line) => line.includes('enableServiceLinks: false'))
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /"level":"warn".*ignored DATELINE_SERVICE_HOST, .* and 7 more, which Kubernetes or Docker set/)
  const alive = await runHere(['health', '--port', port, '--host', '0.0.0.0'])
  assert.deepEqual([alive.code, alive.stderr], [0, ''])
  assert.match(alive.stdout, /^200 \{.*"instance":/)
  assert.match((await runHere(['health', '--ready', '--port', port])).stdout, /^200 /)
  const plain = await runHere(['health', '--port', '0'])
  assert.deepEqual([plain.code, plain.stderr], [2, 'dateline health needs the --port of the service, found 0\n'])
  assert.equal(await service.end('SIGTERM'), 0)
  const gone = await runHere(['health', '--port', port])
  assert.deepEqual([gone.code, gone.stdout], [1, ''])
  assert.match(gone.stderr, new RegExp(`^Cannot reach the service at 127\\.0\\.0\\.1:${port}: `))
})

it('check says which variables are ignored', async () => {
  assert.deepEqual(serviceLinkWarnings({}), [])
  assert.match(serviceLinkWarnings({ DATELINE_PORT: 'tcp://[fd00::1]:80' })[0] ?? '', /^ignored DATELINE_PORT, which/)
})

describe('variables of services', () => {
  it('leave the settings as they are, also those that have the name of a setting', () => {
    const find = (environment: Readonly<Record<string, string>>) =>
      effectiveSettings(new Map(), environment).filter(({ source }) => source !== 'default')
    assert.deepEqual(find(LINKS), [])
    assert.deepEqual(find({ ...LINKS, DATELINE_PORT: '9000' }).map(({ name, value }) => [name, value]), [['port', 9000]])
  })

  it('of another service are ignored', () => {
    const others = { DATELINE_MAIL_SERVICE_HOST: '10.0.0.1', DATELINE_MAIL_PORT_25_TCP_ADDR: 'fd00::19' }
    assert.equal(readConfig(new Map(), { ...others, DATELINE_DNS_PORT: 'udp://10.0.0.1:53' }).port, 8080)
  })

  for (const [name, value] of [
    ['DATELINE_SERVICE_HOST', 'example.org'],
    ['DATELINE_SERVICE_PORT', '70000'],
    ['DATELINE_SERVICE_PORTS', '80'],
    ['DATELINE_PORT', 'tcp://example.org:80'],
    ['DATELINE_PORT', 'http://10.0.0.1:80'],
    ['DATELINE_PORT_HTTP', '8080'],
    ['DATELINE_PORT_8080_TCP_PROTO', 'http'],
    ['DATELINE_NAME', 'My site'],
    ['DATELINESERVICE_HOST_', '10.0.0.1'],
  ] as const) {
    const isOurs = name.startsWith('DATELINE_')
    it(`${name}=${value} is ${isOurs ? 'refused as any other unknown setting' : 'not ours'}`, () => {
      const read = (): unknown => readConfig(new Map(), { [name]: value })
      if (isOurs) assert.throws(read, /Unknown environment variable|Cannot use DATELINE_PORT/)
      else assert.doesNotThrow(read)
    })
  }
})
