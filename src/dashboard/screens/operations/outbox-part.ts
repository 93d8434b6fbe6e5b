/** What became of mail: waiting, delivered or refused, with the mail server's words, and another try of what waits. */
import { MESSAGE_STATES, type MessageState } from '../../../models/message-state.ts'
import type { OutboxMessages, ServiceStatus } from '../../../models/responses.ts'
import { currentPlace, noteQuery } from '../../places.ts'
import { locale, t } from '../../texts.ts'
import { after, every } from '../../timing.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { ago } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { emptyState, isAbort, wordsOf } from '../../kit/states.ts'
import { readInto, type OpenPart } from './part.ts'
import { recordsTable } from './records-table.ts'
import { openTestMail } from './test-mail.ts'

type Message = OutboxMessages['items'][number]

const MESSAGES = 100
const REFRESH_MS = 4_000
/** Most tries are over by then. */
const TRY_MS = 1_000
const TONES: Readonly<Record<MessageState, string>> = {
  ...{ waiting: 'warn', sending: 'warn', delivered: 'good', failed: 'bad', expired: 'bad', superseded: '' },
}

export const outboxPart: OpenPart = (context) => {
  const { client, user, signal, place: where } = context
  let state = MESSAGE_STATES.find((one) => one === where.query.get('state'))
  const place = h('div')
  const states = h('div', { class: 'states', role: 'group', 'aria-label': t('outbox.state') })
  const choose = (next: MessageState | undefined): void => {
    state = next
    const { query } = currentPlace()
    query.set('state', next ?? '')
    noteQuery(query)
    for (const button of states.children) {
      button.setAttribute('aria-pressed', String(button.getAttribute('data-state') === (next ?? '')))
    }
    load()
  }
  /** The buttons stay; only their numbers change. */
  const counts = new Map<MessageState | undefined, HTMLElement>()
  fill(
    states,
    [undefined, ...MESSAGE_STATES].map((one) => {
      const number = h('span', { class: 'number' })
      counts.set(one, number)
      return h(
        'button',
        {
          type: 'button',
          class: 'small',
          'data-state': one ?? '',
          'aria-pressed': String(one === state),
          on: { click: () => choose(one) },
        },
        one === undefined ? t('all') : t(`state.${one}`),
        number,
      )
    }),
  )
  const { load, refresh } = readInto(context, {
    place,
    lines: 9,
    read: async (options) => {
      const [{ items }, { mail }] = await Promise.all([
        client.admin.outbox({ state, limit: MESSAGES }, options),
        client.admin.status(options),
      ])
      return { items, mail }
    },
    show({ items, mail }) {
      showCounts(mail.counts)
      return items.length === 0 ? emptyState('mail', t('outbox.empty')) : table(items)
    },
  })
  every(REFRESH_MS, signal, () => {
    if (!document.hidden) refresh()
  })
  const test = h('button', { type: 'button', on: { click: () => openTestMail(client, user.email) } })
  fill(test, icon('mail'), t('outbox.test'))
  return { element: h('div', { class: 'part' }, h('div', { class: 'part-tools' }, states, test), place) }

  function showCounts(found: ServiceStatus['mail']['counts']): void {
    const all = Object.values(found).reduce((sum, one) => sum + one, 0)
    for (const [one, number] of counts) {
      fill(number, (one === undefined ? all : found[one]).toLocaleString(locale()))
    }
  }

  async function retry({ id, address }: Message): Promise<void> {
    try {
      await client.admin.retryMail(id, { signal })
      notify(t('outbox.retried', { email: address }))
      after(TRY_MS, load)
    } catch (error) {
      if (isAbort(error)) return
      notify(wordsOf(error), { kind: 'failed' })
    }
    load()
  }

  function table(items: readonly Message[]): HTMLElement {
    return recordsTable(
      t('operations.outbox'),
      [
        { title: t('outbox.address'), cell: ({ address }) => h('bdi', {}, address) },
        { title: t('outbox.state'), cell: stateOf },
        { title: t('outbox.reply'), cell: ({ reply }) => (reply === null ? '–' : h('bdi', { class: 'reply' }, reply)) },
        { title: t('outbox.tries'), kind: 'number', cell: ({ attempts }) => attempts.toLocaleString(locale()) },
        { title: t('outbox.asked'), cell: ({ createdAt }) => ago(createdAt) },
        { title: t('outbox.retry'), kind: 'actions', cell: retryButton },
      ],
      items,
    )
  }

  function retryButton(message: Message): Child {
    if (message.state !== 'waiting') return null
    const label = t('outbox.retry')
    return h(
      'button',
      {
        type: 'button',
        class: 'small',
        'data-key': message.id,
        'aria-label': t('pair', { name: label, value: message.address }),
        on: { click: () => void retry(message) },
      },
      label,
    )
  }
}

function stateOf({ state, dueAt, doneAt }: Message): Child {
  const when =
    state === 'waiting' && dueAt !== null ? [t('outbox.next'), ' ', ago(dueAt)] : doneAt === null ? null : ago(doneAt)
  return [
    h('span', { class: `tag ${TONES[state]}`.trim() }, t(`state.${state}`)),
    when === null ? null : h('span', { class: 'when' }, when),
  ]
}
