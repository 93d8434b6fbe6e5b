/** Where a user is signed in, and a way to end it there: the own account, or any for administrators. */
import type { RequestOptions } from '../../../client/client.ts'
import type { SessionsEnded, UserSessions } from '../../../models/responses.ts'
import { readUserAgent } from '../../../models/user-agent.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { button, h, type Child } from '../../kit/dom.ts'
import { tag } from '../../kit/elements.ts'
import { ago, dateTime } from '../../kit/moments.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'

type SessionItem = UserSessions['items'][number]

/** What is asked of the service, and what the button below the list does. */
export interface SessionCalls {
  list(options: RequestOptions): Promise<UserSessions>
  end(id: string): Promise<void>
  endMany(): Promise<SessionsEnded>
  readonly many: 'all' | 'others'
}

/** Those of a user, for administrators. */
export function callsFor(userId: string, { client: { admin }, signal }: ScreenContext): SessionCalls {
  return {
    list: (options) => admin.sessions(userId, options),
    end: (id) => admin.endSession(userId, id, { signal }),
    endMany: () => admin.endSessions(userId, { signal }),
    many: 'all',
  }
}

export function ownCalls({ client: { auth }, signal }: ScreenContext): SessionCalls {
  return {
    list: (options) => auth.sessions(options),
    end: (id) => auth.endSession(id, { signal }),
    endMany: () => auth.endOtherSessions({ signal }),
    many: 'others',
  }
}

export function sessionList(calls: SessionCalls, { restart, signal }: ScreenContext): HTMLElement {
  const body = h('div', { class: 'sessions', role: 'group', 'aria-label': t('users.sessions'), tabindex: -1 })
  const { load } = readInto({ signal }, { element: body, lines: 3, read: calls.list, show })
  return body

  function show({ items }: UserSessions): Child {
    const isAll = calls.many === 'all'
    const isOwn = isAll && items.some(({ current }) => current)
    const endMany = (): void => void end(isOwn, async () => (await calls.endMany()).ended)
    const list = items.map((item) => sessionItem(item, () => void end(item.current, () => calls.end(item.id).then(() => 1))))
    return [
      items.length === 0 ? h('p', { class: 'soft' }, t('users.noSessions')) : h('ul', { class: 'divided' }, list),
      items.length > 1 &&
        h('div', { class: 'buttons' }, button(isAll ? t('users.endAll') : t('users.endOthers'), endMany)),
    ]
  }

  /** Ends sessions, the own one after a question. `work` gives how many it has ended. */
  async function end(isOwn: boolean, work: () => Promise<number>): Promise<void> {
    const signOut = t('shell.signOut')
    const question = { title: signOut, text: t('users.endOwn'), confirm: signOut, isDangerous: true }
    if (isOwn && !(await ask(question))) return
    // Once is enough, and where the list is redrawn the focus stays near.
    for (const one of body.querySelectorAll('button')) one.disabled = true
    body.focus()
    try {
      const count = await work()
      if (isOwn) return restart()
      notify(t('users.ended', { count }), { kind: 'done' })
    } catch (error) {
      notifyFailure(error)
    }
    load()
  }
}

function sessionItem({ label, createdAt, lastUsedAt, expiresAt, current }: SessionItem, end: () => void): HTMLElement {
  const name = deviceName(label)
  const times = [
    [t('users.lastUsed'), ' ', ago(lastUsedAt), ' · '],
    [t('users.since'), ' ', dateTime(createdAt), ' · '],
    [t('users.until'), ' ', dateTime(expiresAt)],
  ]
  return h(
    'li',
    {},
    h(
      'div',
      {},
      h('p', { title: label }, h('bdi', {}, name), current && [' ', tag('good', t('users.thisOne'))]),
      h('p', { class: 'soft' }, times),
    ),
    button(t('users.end'), end, { class: 'small', 'aria-label': t('users.endOne', { label: name }) }),
  )
}

/** What a device is called by its user agent. */
export function deviceName(userAgent: string): string {
  const { name, system } = readUserAgent(userAgent)
  if (name === '') return t('users.unknownDevice')
  return system === undefined ? name : t('users.client', { name, system })
}
