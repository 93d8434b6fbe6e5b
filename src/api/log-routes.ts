/** The newest lines of the log, for administrators. */
import { describe, fail } from '../base/failure.ts'
import { LOG_LEVELS, type LogLevel } from '../base/log-level.ts'
import type { LogMemory } from '../base/log-memory.ts'
import { ok, type Exchange, type HttpResponse } from '../http/request/exchange.ts'
import type { LogLines } from '../models/replies.ts'
import { readNewest } from './newest.ts'

export interface LogRoutes {
  list(exchange: Exchange): HttpResponse
}

export function logRoutes(memory: Pick<LogMemory, 'newest'>): LogRoutes {
  return {
    list({ query }) {
      const found = memory.newest({ level: readLevel(query.get('level')), limit: readNewest(query) })
      return ok(JSON.stringify(found satisfies LogLines))
    },
  }
}

function readLevel(given = 'info'): LogLevel {
  const level = LOG_LEVELS.find((one) => one === given)
  if (level !== undefined) return level
  throw fail('badRequest', `Cannot read level ${describe(given)}: expected one of ${LOG_LEVELS.join(', ')}`)
}
