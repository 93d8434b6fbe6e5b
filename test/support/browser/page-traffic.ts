/**
 * What a browser requested and which errors it reported, from chromedriver's performance and console logs.
 *
 * The performance log carries the events of the DevTools protocol's Network domain, the console log what a person sees
 * in the console. A request that failed is in both; it is told once. A request that the page itself cancelled, as a
 * search does with the one before, is no problem. Requests that a page leaves behind when it is reloaded or closed
 * get no further event: they count as cancelled, so that no test waits for them.
 */

interface LogEntry {
  readonly level: string
  readonly source?: string
  readonly message: string
}

/** The part of the events' parameters that is read here. */
interface NetworkEvent {
  readonly requestId: string
  /** The document that asks. */
  readonly loaderId?: string
  readonly frame?: { readonly loaderId: string; readonly parentId?: string }
  readonly type?: string
  readonly url?: string
  readonly request?: {
    readonly url: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
  }
  readonly redirectResponse?: { readonly status: number }
  readonly response?: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  readonly errorText?: string
  readonly canceled?: boolean
  readonly blockedReason?: string
}

export interface PageRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** `Document`, `Script`, `Fetch`, `Image`, `WebSocket`, … */
  readonly type: string
  /** Undefined until the response arrives. */
  status?: number
  responseHeaders?: Readonly<Record<string, string>>
  /** `net::ERR_…`, or why it was blocked: `csp`. */
  failure?: string
  /** The page aborted it. */
  isCanceled: boolean
  isOver: boolean
}

export interface Problem {
  readonly kind: 'console' | 'exception' | 'content security policy' | 'request' | 'foreign host'
  /** One line for a person. */
  readonly text: string
  readonly url?: string
  readonly status?: number
  readonly failure?: string
}

/** What a test provokes on purpose: a problem for which all given members hold. A text is looked for, anywhere. */
export interface AllowedProblem {
  readonly kind?: Problem['kind']
  readonly status?: number
  readonly url?: string | RegExp
  readonly failure?: string | RegExp
  readonly text?: string | RegExp
}

export interface Traffic {
  takePerformance(entries: readonly LogEntry[]): void
  takeConsole(entries: readonly LogEntry[]): void
  readonly requests: readonly PageRequest[]
  /** What went wrong, but for what is allowed. */
  problems(allow: readonly AllowedProblem[]): readonly Problem[]
  /** Forgets requests that are over, and everything that was complained about. */
  forget(): void
}

const SCHEMES_OF_HOSTS = ['http:', 'https:', 'ws:', 'wss:']

/** Traffic of a page that belongs to the service at this address; every other host is foreign. */
export function createTraffic(service: string): Traffic {
  const { host } = new URL(service)
  let requests: { readonly id: string; readonly tab: string; readonly loader: string; readonly request: PageRequest }[] = []
  let complaints: Problem[] = []

  const open = (id: string, tab: string, { loaderId = '', type, request, url }: NetworkEvent): void => {
    const made: PageRequest = {
      method: request?.method ?? 'GET',
      url: request?.url ?? url ?? '',
      headers: request?.headers ?? {},
      type: type ?? 'WebSocket',
      isCanceled: false,
      // No event tells the end of a socket's request.
      isOver: request === undefined,
    }
    requests.push({ id, tab, loader: loaderId, request: made })
  }
  const change = ({ requestId }: NetworkEvent, changes: Partial<PageRequest>): void => {
    const found = requests.findLast(({ id }) => id === requestId)
    if (found !== undefined) Object.assign(found.request, changes)
  }
  const leave = (tab: string, loader?: string): void => {
    for (const one of requests)
      if (one.tab === tab && one.loader !== loader && !one.request.isOver) Object.assign(one.request, { isCanceled: true, isOver: true })
  }
  const onEvent = (method: string, event: NetworkEvent, tab: string): void => {
    switch (method) {
      case 'Network.requestWillBeSent':
        if (event.redirectResponse !== undefined) change(event, { status: event.redirectResponse.status, isOver: true })
        return open(event.requestId, tab, event)
      case 'Network.webSocketCreated':
        return open(event.requestId, tab, event)
      case 'Page.frameNavigated':
        return event.frame?.parentId === undefined ? leave(tab, event.frame?.loaderId) : undefined
      case 'Inspector.detached':
        return leave(tab)
      case 'Network.responseReceived': {
        const headers = event.response?.headers ?? {}
        // It stays open for as long as the page does.
        const isStream = Object.values(headers).some((value) => value.startsWith('text/event-stream'))
        return change(event, { status: event.response?.status ?? 0, responseHeaders: headers, ...(isStream && { isOver: true }) })
      }
      case 'Network.loadingFinished':
        return change(event, { isOver: true })
      case 'Network.loadingFailed': {
        const failure = event.blockedReason ?? event.errorText ?? 'failed'
        // A stream that breaks off is opened again, which is its nature.
        if (requests.findLast(({ id }) => id === event.requestId)?.request.isOver === true) return
        return change(event, { failure, isCanceled: event.canceled === true, isOver: true })
      }
    }
  }

  const ofRequest = ({ method, url, status = 0, failure, isCanceled }: PageRequest): Problem[] => {
    const found: Problem[] = []
    const parsed = new URL(url)
    if (SCHEMES_OF_HOSTS.includes(parsed.protocol) && parsed.host !== host)
      found.push({ kind: 'foreign host', text: `a request went to another host: ${method} ${url}`, url })
    if (status >= 400) found.push({ kind: 'request', text: `${method} ${url} got ${status}`, url, status })
    else if (failure !== undefined && !isCanceled)
      found.push({ kind: 'request', text: `${method} ${url} failed: ${failure}`, url, failure })
    return found
  }

  return {
    takePerformance(entries) {
      for (const { message } of entries) {
        const { message: event, webview } = JSON.parse(message) as { message: { method: string; params: NetworkEvent }; webview: string }
        onEvent(event.method, event.params, webview)
      }
    },
    takeConsole: (entries) => void complaints.push(...entries.filter(isComplaint).map(complaintOf)),
    get requests() {
      return requests.map(({ request }) => request)
    },
    problems(allow) {
      const failed = requests.flatMap(({ request }) => ofRequest(request))
      // The console's line about a request that is already told.
      const isKnown = ({ kind, url }: Problem): boolean =>
        kind === 'request' && failed.some((one) => one.kind === 'request' && one.url === url)
      const all = [...failed, ...complaints.filter((one) => !isKnown(one))]
      return all.filter((problem) => !allow.some((allowed) => isAllowed(problem, allowed)))
    },
    forget() {
      requests = requests.filter(({ request }) => !request.isOver)
      complaints = []
    },
  }
}

function isComplaint({ level }: LogEntry): boolean {
  return level === 'SEVERE' || level === 'WARNING'
}

/** A line of the console opens with the address it is about. */
function complaintOf({ level, source, message }: LogEntry): Problem {
  if (source === 'network') {
    const [url = ''] = message.split(' ', 1)
    const [, status] = /with a status of (\d{3})/.exec(message) ?? []
    const [failure] = /net::ERR_\w+/.exec(message) ?? []
    return {
      ...{ kind: 'request', text: message, url },
      ...(status === undefined ? {} : { status: Number(status) }),
      ...(failure === undefined ? {} : { failure }),
    }
  }
  if (source === 'security') return { kind: 'content security policy', text: message }
  if (source === 'javascript') return { kind: 'exception', text: message }
  return { kind: 'console', text: `${level === 'SEVERE' ? 'error' : 'warning'}: ${message}` }
}

function isAllowed(problem: Problem, allowed: AllowedProblem): boolean {
  const holds = (wanted: string | RegExp | undefined, found: string | undefined): boolean =>
    wanted === undefined ||
    (found !== undefined && (typeof wanted === 'string' ? found.includes(wanted) : wanted.test(found)))
  return (
    (allowed.kind === undefined || allowed.kind === problem.kind) &&
    (allowed.status === undefined || allowed.status === problem.status) &&
    holds(allowed.url, problem.url) &&
    holds(allowed.failure, problem.failure) &&
    holds(allowed.text, problem.text)
  )
}
