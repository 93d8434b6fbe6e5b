// also: executable
/** /healthz, /readyz and /metrics: what who runs the service can see, and who else cannot. */
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { describe, it } from 'node:test'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { newPerson } from '../support/cast.ts'
import { send } from '../support/service/http-client.ts'
import { databaseOf, startService, type TestService } from '../support/service/service.ts'

async function metricsOf(service: TestService, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${service.url}/metrics`, { headers })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  return response.text()
}

/** The value of a series, written as in the report. */
function valueOf(report: string, series: string): number | undefined {
  const line = report.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

describe('health', () => {
  it('tells that the service is alive, and which run of it', async (t) => {
    const service = await startService(t)
    service.advance(90_500)
    const response = await service.call('GET', '/healthz')
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, { status: 'ok', instance: service.app.instance, uptimeSeconds: 90 })
    assert.equal(response.headers.get('cache-control'), 'no-store')
  })
})

describe('readiness', () => {
  it('ends while the database file is not at its path, where no write is taken', async (t) => {
    const service = await startService(t)
    const { token } = await service.admin()
    const write = async (): Promise<number> => (await service.data('POST', '', { model: 'topic' }, { token, body: bodyOf('topic') })).status
    const ready = async () => {
      const response = await service.call('GET', '/readyz')
      return [response.status, response.at('reasons')]
    }
    const [file, elsewhere] = [databaseOf(service), `${databaseOf(service)}.elsewhere`]
    renameSync(file, elsewhere)
    assert.deepEqual(await ready(), [503, ['database: its file was moved, removed or replaced: put it back, or restore a backup']])
    assert.equal(await write(), 503)
    renameSync(elsewhere, file)
    assert.deepEqual(await ready(), [200, undefined])
    assert.equal(await write(), 201)
  })
})

describe('metrics', () => {
  it('count requests by route, method and status, never by what a client wrote', async (t) => {
    const service = await startService(t)
    const { token } = await service.guest()
    for (const id of ['quokka', 'wombat']) await service.data('GET', `/${id}`, { model: 'topic' }, { token })
    await service.call('GET', '/no/such/path')
    await service.call('PROPFIND', '/api/v1/data')
    const report = await metricsOf(service)
    const series = (method: string, route: string, status: number): string =>
      `dateline_requests_total{method="${method}",route="${route}",status="${status}"}`
    assert.equal(valueOf(report, series('GET', '/api/v1/data/:id', 404)), 2)
    assert.equal(valueOf(report, series('GET', 'none', 404)), 1)
    assert.equal(valueOf(report, series('other', 'none', 405)), 1)
    assert.equal(valueOf(report, 'dateline_request_seconds_count{method="GET",route="/api/v1/data/:id"}'), 2)
    assert.doesNotMatch(report, /no\/such|PROPFIND|quokka|wombat|example\.org/)
  })

  it('tell of sign-ins, limits, queries, mail and files', async (t) => {
    const service = await startService(t, { rateLimits: 'on', codesPerEmail: '1' })
    await service.guest()
    const { token } = await service.signIn('reader@example.org')
    await service.data('GET', '', { model: 'topic' }, { token })
    const options = { body: { email: 'reader@example.org', isDashboardLogin: false } }
    assert.equal((await service.call('POST', '/api/v1/auth/request-code', options)).status, 429)
    await service.app.idle()
    await service.call('POST', '/api/v1/auth/verify-code', { body: { email: 'x'.repeat(20_000) } })
    const report = await metricsOf(service)
    for (const [series, least] of [
      ['dateline_sign_ins_total{how="guest"}', 1],
      ['dateline_sign_ins_total{how="created"}', 1],
      ['dateline_rate_limited_total{limit="codes_per_email"}', 1],
      ['dateline_queries_total{how="inline"}', 1],
      ['dateline_queries_running{class="guest"}', 0],
      ['dateline_queries_waiting{class="dashboard"}', 0],
      ['dateline_outbox_messages{state="delivered"}', 1],
      ['dateline_database_bytes{file="database"}', 4096],
      ['dateline_disk_free_bytes', 1],
      ['dateline_memory_bytes{kind="resident"}', 1_000_000],
      ['dateline_connections', 1],
      ['dateline_request_bodies_refused_total{reason="no_room"}', 0],
      ['dateline_request_bodies_refused_total{reason="too_long"}', 1],
    ] as const) {
      assert.ok((valueOf(report, series) ?? -1) >= least, `${series}\n${report}`)
    }
    assert.match(await metricsOf(service), /^dateline_event_loop_delay_seconds\{quantile="0.99"\} \d/m)
  })

  it('are for this machine and for administrators', async (t) => {
    const service = await startService(t)
    const { token } = await service.admin()
    const publisher = await newPerson(service, 'publisher', token)
    const passedOn = { 'x-forwarded-for': '203.0.113.9' }
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${service.url}/metrics`, { headers })).status
    assert.equal(await statusOf({}), 200)
    assert.equal(await statusOf({ ...passedOn, authorization: `Bearer ${token}` }), 200)
    assert.equal(await statusOf({ ...passedOn, authorization: `Bearer ${publisher.token}` }), 403)
  })

  it('are not for a web page that gave its own name the address of this machine', async (t) => {
    // Names that were allowed stand for all names, which the service takes where it listens on all addresses.
    const names = ['rebound.example', '127.0.0.1.rebound.example', '10.0.0.7', 'dateline', 'x.localhost']
    const service = await startService(t, { allowedHosts: names.join() })
    const { token } = await service.admin()
    const port = Number(new URL(service.url).port)
    const statusOf = async (host: string, headers = {}): Promise<number> =>
      (await send(port, '/metrics', { headers: { Host: host, ...headers } })).status
    for (const host of ['rebound.example', `rebound.example:${port}`, '127.0.0.1.rebound.example']) {
      assert.equal(await statusOf(host), 401, host)
      assert.equal(await statusOf(host, { Authorization: `Bearer ${token}` }), 200, host)
    }
    for (const host of ['localhost', 'LOCALHOST:80', `127.0.0.1:${port}`, '10.0.0.7', '[::1]:80', 'dateline', 'x.localhost']) {
      assert.equal(await statusOf(host), 200, host)
    }
  })

  it('attack: a stranger behind a proxy on this machine, which adds a header, needs a token', async (t) => {
    const service = await startService(t)
    for (const header of ['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP', 'X-Forwarded-Host', 'X-Forwarded-Proto']) {
      assert.equal((await fetch(`${service.url}/metrics`, { headers: { [header]: '127.0.0.1' } })).status, 401, header)
    }
  })

  it('attack: a stranger behind a proxy that says nothing of him needs a token where proxies are named', async (t) => {
    // The one that is named may be another, or add its header for some paths alone.
    const service = await startService(t, { trustedProxies: '10.0.0.0/8' })
    const { token } = await service.admin()
    assert.equal((await fetch(`${service.url}/metrics`)).status, 401)
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await fetch(`${service.url}/metrics`, { headers })).status, 200)
  })
})
