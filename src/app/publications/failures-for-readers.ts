/**
 * People who follow a link that leads nowhere get a page that says so; programs get the failure of the API, as everywhere, which
 * the script of any site may read.
 */
import { withRecovery, type Awaitable } from '../../base/awaitable.ts'
import { fail, Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { UnreadableLink, type LinkPart } from '../../content/publications/unreadable-link.ts'
import { parseAcceptLanguage } from '../../http/accept-language.ts'
import type { Exchange, Handler, HttpResponse } from '../../http/exchange.ts'
import { writeFailurePage, type FailureText } from '../../publications/failure-page.ts'
import { NOT_INDEXED, OPEN_HEADERS, PAGE_HEADERS } from './publication-formats.ts'

export function forPeople(serve: (exchange: Exchange) => Awaitable<HttpResponse>, log: Pick<Log, 'warn'>): Handler {
  return (exchange) =>
    withRecovery(
      () => serve(exchange),
      (error) => {
        if (!(error instanceof Failure)) throw error
        // What no reader can mend, as the responder logs it.
        if (error.status >= 500) log.warn('request.unavailable', { requestId: exchange.requestId, error })
        return pageOf(error, exchange)
      },
    )
}

export function forPrograms(serve: (exchange: Exchange) => Awaitable<HttpResponse>): Handler {
  return (exchange) =>
    withRecovery(
      () => serve(exchange),
      (error) => {
        if (!(error instanceof Failure)) throw error
        const { code, message, cause, headers } = error
        throw fail(code, message, { cause, headers: { ...OPEN_HEADERS, ...headers } })
      },
    )
}

const OF_LINK_PARTS: Readonly<Record<LinkPart, FailureText>> = { cursor: 'brokenCursor', search: 'longSearch' }

function textOf(error: Failure): FailureText {
  if (error instanceof UnreadableLink) return OF_LINK_PARTS[error.part]
  return error.code === 'notFound' ? 'missing' : error.code === 'badRequest' ? 'brokenLink' : 'later'
}

function pageOf(error: Failure, exchange: Exchange): HttpResponse {
  const { status, code, cause, headers } = error
  exchange.addLogFields({ code, ...(cause === undefined ? {} : { cause }) })
  const body = writeFailurePage({ says: textOf(error), languages: parseAcceptLanguage(exchange.headers['accept-language']) })
  return { kind: 'raw', status, contentType: 'text/html; charset=utf-8', body, headers: { ...PAGE_HEADERS, ...NOT_INDEXED, ...headers } }
}
