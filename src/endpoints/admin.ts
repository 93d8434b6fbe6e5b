/** What administrators see of the service: its state, its settings, its log and the audit trail. */
import { readEmail } from '../auth/accounts.ts'
import { LOG_LEVELS } from '../base/log-level.ts'
import { fail } from '../base/failure.ts'
import { requireAdministrator } from '../content/rules/access.ts'
import { queryCallerOf } from '../content/reads/query-caller.ts'
import { pageParts, readListQuery } from '../content/reads/list-query.ts'
import { ok } from '../http/exchange.ts'
import { audit } from '../models/audit.ts'
import {
  auditRecords,
  clusterStatus,
  logLines,
  serviceStatus,
} from '../models/responses.ts'
import { and, isIn } from '../query/ast.ts'
import { NOTHING_FOUND } from '../store/query/find-query.ts'
import { endpointOn } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { paramsOfUrl } from './list-params.ts'
import { readChoice, readNewest, readShortText, readTime } from './parameters.ts'

/** Ids grow with time, so records of the same millisecond are in order too. */
export const NEWEST_FIRST = 'time:desc,id:desc'

const endpoint = endpointOn<Service>('Administration')

export const ADMIN = [
  endpoint({
    route: 'GET /api/v1/admin/status',
    id: 'serviceStatus',
    access: 'administrator',
    summary: 'Read the status of the service',
    response: serviceStatus,
    client: 'admin.status',
  }).handle(({ operation: { status } }) => status()),
  endpoint({
    route: 'GET /api/v1/admin/cluster',
    id: 'clusterStatus',
    access: 'administrator',
    summary: 'Read the nodes of the cluster, its log and the servers of etcd',
    description: '404 where the service runs alone.',
    response: clusterStatus,
    errors: ['notFound'],
    client: 'admin.cluster',
  }).handle(({ operation: { cluster } }) => {
    if (cluster === undefined) throw fail('notFound', 'This service runs alone: it is no node of a cluster')
    return cluster()
  }),
  endpoint({
    route: 'GET /api/v1/admin/log',
    id: 'logLines',
    access: 'administrator',
    summary: 'Read the newest log lines, or search in them',
    description: 'Only those in memory: at most 1,000 lines and 1 MiB, with warnings and errors apart.',
    parameters: ['level', 'newest', 'logText', 'logRoute', 'logFrom', 'logTo'],
    response: logLines,
    errors: ['badRequest'],
    client: 'admin.log',
  }).handle(({ operation: { logMemory } }, { query }) =>
    logMemory.newest({
      level: readChoice(query, 'level', LOG_LEVELS) ?? 'info',
      limit: readNewest(query),
      text: readShortText(query, 'text'),
      route: readShortText(query, 'route'),
      from: readTime(query, 'from'),
      to: readTime(query, 'to'),
    }),
  ),
  endpoint({
    route: 'GET /api/v1/admin/audit',
    id: 'auditTrail',
    access: 'administrator',
    summary: 'List the audit trail, newest first',
    description:
      'Filters and sorts by `time`, `event`, `actor`, `documentId` and `emailHash` are fast. Records are kept for ' +
      '`--audit-days`, and nothing in the API changes them.',
    parameters: ['auditFilter', 'email', 'auditSort', 'limit', 'cursor'],
    response: { kind: 'text', schema: auditRecords },
    errors: ['badRequest', 'invalidInput', 'tooManyRequests'],
    client: 'admin.audit',
  }).handle(async ({ store, content: { listSettings }, auth: { emailHashes } }, exchange, { caller, acting }) => {
    const { sort = NEWEST_FIRST, ...params } = paramsOfUrl(exchange)
    const read = readListQuery(audit, { ...params, sort }, caller, { settings: listSettings, store })
    const email = exchange.query.get('email')
    const hashes = email === undefined ? undefined : emailHashes.all(readEmail(email))
    const query = hashes === undefined ? read : { ...read, filter: and(read.filter, isIn(['emailHash'], hashes)) }
    if (query.limit === 0) return ok(pageParts(audit, query, NOTHING_FOUND))
    // So that a reader sees what was left out up to now.
    if (store.hasSuppressed()) await store.as(acting(requireAdministrator)).recordSuppressed()
    return ok(pageParts(audit, query, await store.documents.find(audit, query, queryCallerOf(caller, exchange))))
  }),
]
