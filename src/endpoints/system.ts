/**
 * Endpoints for the operator: is the service alive, can it work, what is it doing.
 *
 * `/healthz` and `/readyz` are open, as load balancers have no token. `/metrics` is for administrators, and for a
 * collector on this machine. A reverse proxy on this machine makes every client look like that: so a request that was
 * passed on needs a token, every request where the operator has named proxies, and one under a name that a stranger may
 * own: a web page in a browser here can give its own name the address of this machine.
 */
import { isIPv4 } from 'node:net'
import type { JsonSchema } from '../base/json-schema.ts'
import { METRICS_TYPE } from '../base/metrics.ts'
import { requireScope } from '../content/rules/access.ts'
import { hostName } from '../http/foreign-pages.ts'
import { isLoopbackAddress } from '../http/client-address.ts'
import type { Exchange, HttpResponse } from '../http/exchange.ts'
import { readModel } from './data-requests.ts'
import { endpointOn } from './endpoint.ts'
import type { ReadService, Service } from './service-parts.ts'

const JSON_TYPE = 'application/json'
const INSTANCE: JsonSchema = { type: 'string', examples: ['b1946ac9-2f0d-4c3e-8a57-6d1f0e9c8b7a'] }
const WARNINGS: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'What an operator should look at besides',
  examples: [['mail: the mail server has failed for 4m']],
}
const METRICS_EXAMPLE = '# TYPE dateline_requests_total counter\ndateline_requests_total{method="GET",status="200"} 12\n'
/** Headers that only a proxy adds. */
const PASSED_ON = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const endpoint = endpointOn<Service>('Operation')

/** Every thread serves it: a thread that does not answer is not alive. */
export const HEALTH = endpointOn<ReadService>('Operation')({
  route: 'GET /healthz',
  id: 'health',
  access: 'public',
  summary: 'Check that the service is alive, and which run it is',
  response: {
    kind: 'raw',
    type: JSON_TYPE,
    schema: {
      type: 'object',
      properties: {
        status: { const: 'ok' },
        instance: INSTANCE,
        uptimeSeconds: { type: 'integer', minimum: 0, examples: [86400] },
        position: { type: 'integer', minimum: 0, description: 'Of a node in the log of its cluster', examples: [5121] },
      },
      required: ['status', 'instance', 'uptimeSeconds'],
    },
  },
}).handle(({ instance, startedAt, now, position }) => {
  const uptimeSeconds = Math.floor((now() - startedAt) / 1000)
  return uncached(200, { status: 'ok', instance, uptimeSeconds, ...(position === undefined ? {} : { position: position() }) })
})

export const SYSTEM_ENDPOINTS = [
  endpoint({
    route: 'GET /api/v1/openapi.json',
    id: 'openapi',
    access: 'public',
    summary: 'Read the OpenAPI document, of the whole API or for clients of one model',
    description:
      'Generators make typed clients of the document for one `model`. It has the operations that the model supports, by ' +
      'names such as `listHeadlines`, and schemas of that model in place of a choice of all models.',
    parameters: ['describedModel'],
    response: { kind: 'raw', type: JSON_TYPE, schema: { type: 'object', examples: [{ openapi: '3.1.0' }] } },
  }).handle(({ operation: { openApi }, content: { represent } }, exchange) => {
    const document = openApi(exchange.query.get('model') === undefined ? undefined : readModel(exchange))
    return represent(exchange, document, { tag: undefined, caching: 'no-store' })
  }),
  HEALTH,
  endpoint({
    route: 'GET /readyz',
    id: 'ready',
    access: 'public',
    summary: 'Check that this process can serve requests; 503 has the reasons',
    description: 'Trouble with mail or backups does not keep it from that: it is in `warnings`.',
    response: {
      kind: 'raw',
      type: JSON_TYPE,
      schema: {
        type: 'object',
        properties: { status: { const: 'ok' }, instance: INSTANCE, warnings: WARNINGS },
        required: ['status', 'instance'],
      },
    },
    others: [
      {
        status: 503,
        description: 'Not ready',
        body: {
          kind: 'schema',
          name: 'NotReady',
          schema: {
            type: 'object',
            properties: {
              status: { const: 'unavailable' },
              instance: { type: 'string' },
              reasons: {
                type: 'array',
                items: { type: 'string' },
                examples: [['disk: only 12 MiB are free']],
              },
              warnings: WARNINGS,
            },
            required: ['status', 'instance', 'reasons'],
          },
        },
      },
    ],
  }).handle(async ({ operation: { readiness }, instance }) => {
    const { reasons, warnings } = await readiness()
    const more = warnings.length === 0 ? {} : { warnings }
    if (reasons.length === 0) return uncached(200, { status: 'ok', instance, ...more })
    return uncached(503, { status: 'unavailable', instance, reasons, ...more })
  }),
  endpoint({
    route: 'GET /metrics',
    id: 'metrics',
    access: 'public',
    token: 'optional',
    summary: 'Read metrics in the text format of Prometheus, from this machine or as an administrator',
    description:
      'Only an administrator may read them with `--trusted-proxies`, through a proxy, from a page of another origin, or ' +
      'under a name with a dot in it. A token of the API with the scope `metrics` is enough.',
    scope: 'metrics',
    response: { kind: 'raw', type: 'text/plain', schema: { type: 'string', examples: [METRICS_EXAMPLE] } },
    errors: ['unauthorized'],
  }).handle(async ({ auth: { hasProxies, sessions }, operation: { metrics }, now }, exchange) => {
    if (hasProxies || !isCollectorHere(exchange)) {
      const { caller } = sessions.require(exchange, now())
      requireScope('metrics')(caller)
    }
    const headers = { 'Cache-Control': 'no-store' }
    return { kind: 'raw', status: 200, contentType: METRICS_TYPE, body: await metrics.report(), headers }
  }),
]

function isCollectorHere({ headers, clientAddress }: Exchange): boolean {
  const isDirect = PASSED_ON.every((name) => headers[name] === undefined)
  // A browser here may send a page of the web that has none of these, in a frame without an origin of its own.
  const isPage = headers.origin !== undefined
  return isDirect && !isPage && isLoopbackAddress(clientAddress) && isNameOfThisMachine(headers.host)
}

/** Whether a Host can only be meant for the machine that asks: an address, `localhost`, or a name without a domain. */
function isNameOfThisMachine(host = 'localhost'): boolean {
  const name = hostName(host)
  return name !== undefined && (!name.includes('.') || name.endsWith('.localhost') || isAddress(name))
}

function isAddress(name: string): boolean {
  return isIPv4(name) || name.startsWith('[')
}

function uncached(status: number, body: object): HttpResponse {
  const headers = { 'Cache-Control': 'no-store' }
  return { kind: 'raw', status, contentType: `${JSON_TYPE}; charset=utf-8`, body: JSON.stringify(body), headers }
}
