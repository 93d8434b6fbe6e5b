/** Where a user is signed in, and a way to end it there: the own account, or any for administrators. */
import type { SessionsEnded, UserSessions } from '../../../models/responses.ts'
import { readUserAgent } from '../../../models/user-agent.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { fill, h } from '../../kit/dom.ts'
import { ago, dateTime } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { failureState, isAbort, skeleton, wordsOf } from '../../kit/states.ts'

type SessionItem = UserSessions['items'][number]

/** What is asked of the service, and what the button below the list does. */
export interface SessionCalls {
  list(): Promise<UserSessions>
  end(id: string): Promise<void>
  endMany(): Promise<SessionsEnded>
  readonly many: 'all' | 'others'
}

/** Those of a user, for administrators. */
export function callsFor(userId: string, { client: { admin }, signal }: ScreenContext): SessionCalls {
  return {
    list: () => admin.sessions(userId, { signal }),
    end: (id) => admin.endSession(userId, id, { signal }),
    endMany: () => admin.endSessions(userId, { signal }),
    many: 'all',
  }
}

export function ownCalls({ client: { auth }, signal }: ScreenContext): SessionCalls {
  return {
    list: () => auth.sessions({ signal }),
    end: (id) => auth.endSession(id, { signal }),
    endMany: () => auth.endOtherSessions({ signal }),
    many: 'others',
  }
}

export function sessionList(calls: SessionCalls, { restart }: ScreenContext): HTMLElement {
  const body = h('div', { class: 'sessions', role: 'group', 'aria-label': t('users.sessions'), tabindex: -1 })

  async function load(): Promise<void> {
    try {
      show((await calls.list()).items)
    } catch (error) {
      if (!isAbort(error)) fill(body, failureState(error, reload))
    }
  }

  function reload(): void {
    fill(body, skeleton(3))
    void load()
  }

  function show(sessions: readonly SessionItem[]): void {
    const words = calls.many === 'all' ? t('users.endAll') : t('users.endOthers')
    const many = h('button', { type: 'button', on: { click: () => void endMany(sessions) } }, words)
    fill(
      body,
      sessions.length === 0 ? h('p', { class: 'soft' }, t('users.noSessions')) : h('ul', {}, sessions.map(item)),
      sessions.length > 1 && h('div', { class: 'buttons' }, many),
    )
  }

  function item(session: SessionItem): HTMLElement {
    const { label, createdAt, lastUsedAt, expiresAt, current } = session
    const name = nameOf(label)
    return h(
      'li',
      {},
      h(
        'div',
        {},
        h('p', { title: label }, h('bdi', {}, name), current && [' ', h('span', { class: 'tag good' }, t('users.thisOne'))]),
        h(
          'p',
          { class: 'soft' },
          t('users.lastUsed'),
          ' ',
          ago(lastUsedAt),
          ' · ',
          t('users.since'),
          ' ',
          dateTime(createdAt),
          ' · ',
          t('users.until'),
          ' ',
          dateTime(expiresAt),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'small',
          'aria-label': t('users.endOne', { label: name }),
          on: { click: () => void endOne(session) },
        },
        t('users.end'),
      ),
    )
  }

  async function endOne({ id, current }: SessionItem): Promise<void> {
    if (current && !(await confirmOwn())) return
    await act(async () => {
      await calls.end(id)
      return { isOwn: current, count: 1 }
    })
  }

  async function endMany(sessions: readonly SessionItem[]): Promise<void> {
    const isOwn = calls.many === 'all' && sessions.some(({ current }) => current)
    if (isOwn && !(await confirmOwn())) return
    await act(async () => ({ isOwn, count: (await calls.endMany()).ended }))
  }

  function confirmOwn(): Promise<boolean> {
    return ask({ title: t('shell.signOut'), text: t('users.endOwn'), confirm: t('shell.signOut'), isDangerous: true })
  }

  /** `work` tells how many sessions it ended, and whether the own one is among them. */
  async function act(work: () => Promise<{ readonly isOwn: boolean; readonly count: number }>): Promise<void> {
    // Once is enough, and where the list is redrawn the focus stays near.
    for (const button of body.querySelectorAll('button')) button.disabled = true
    body.focus()
    try {
      const { isOwn, count } = await work()
      if (isOwn) return restart()
      notify(t('users.ended', { count }), { kind: 'done' })
    } catch (error) {
      if (!isAbort(error)) notify(wordsOf(error), { kind: 'failed' })
    }
    void load()
  }

  reload()
  return body
}

function nameOf(label: string): string {
  const { name, system } = readUserAgent(label)
  if (name === '') return t('users.unknownDevice')
  return system === undefined ? name : t('users.client', { name, system })
}
