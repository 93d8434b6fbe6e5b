/** What became of mail: waiting, delivered or rejected, with the mail server's words, and another try of what waits. */
import { MESSAGE_STATES } from '../../../models/message-state.ts'
import type { OutboxMessages } from '../../../models/responses.ts'
import { mergeQuery } from '../../screen-url.ts'
import { numberText, t } from '../../texts.ts'
import { after, everySeen } from '../../timing.ts'
import { button, h, type Child } from '../../kit/dom.ts'
import { groupButtons } from '../../kit/group-buttons.ts'
import { icon } from '../../kit/icons.ts'
import { ago } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState } from '../../kit/states.ts'
import { inRow, workButton } from '../../kit/work-button.ts'
import { messageTag } from './message-tag.ts'
import type { OpenPart } from './part.ts'
import { recordsTable } from '../../kit/table/records-table.ts'
import { openTestMail } from './test-mail.ts'

type Message = OutboxMessages['items'][number]

const MESSAGES = 100
const REFRESH_MS = 4_000
/** Most tries are over by then. */
const TRY_MS = 1_000

export const outboxPart: OpenPart = (context) => {
  const { client, user, signal, screenUrl } = context
  let state = MESSAGE_STATES.find((one) => one === screenUrl.query.get('state'))
  const content = h('div')
  const states = groupButtons({
    label: t('state'),
    groups: [undefined, ...MESSAGE_STATES],
    titleOf: (one) => (one === undefined ? t('all') : t(`state.${one}`)),
    chosen: state,
    choose(next) {
      state = next
      mergeQuery({ state: next ?? '' })
      load()
    },
  })
  const { load, refresh } = readInto(context, {
    element: content,
    lines: 9,
    read: async (options) => {
      const [{ items }, { mail }] = await Promise.all([
        client.admin.outbox({ state, limit: MESSAGES }, options),
        client.admin.status(options),
      ])
      return { items, mail }
    },
    show({ items, mail }) {
      const all = Object.values(mail.counts).reduce((sum, one) => sum + one, 0)
      states.showCounts((one) => (one === undefined ? all : mail.counts[one]))
      return items.length === 0 ? emptyState('mail', t('outbox.empty')) : messageTable(items, retry)
    },
  })
  everySeen(REFRESH_MS, signal, refresh)

  async function retry({ id, address }: Message): Promise<void> {
    await client.admin.retryMail(id, { signal }).finally(load)
    notify(t('outbox.retried', { email: address }))
    after(TRY_MS, load)
  }

  const test = button([icon('mail'), t('outbox.test')], () => openTestMail(client, user.email))
  return { element: h('div', { class: 'part' }, h('div', { class: 'part-tools' }, states.element, test), content) }
}

function messageTable(items: readonly Message[], retry: (message: Message) => Promise<void>): HTMLElement {
  const retryButton = (message: Message): Child => {
    const label = t('outbox.retry')
    return message.state === 'waiting' && workButton(label, () => retry(message), { class: 'small', ...inRow(label, { id: message.id, title: message.address }) })
  }
  return recordsTable(
    t('operations.outbox'),
    [
      { title: t('outbox.address'), cell: ({ address }) => h('bdi', {}, address) },
      { title: t('outbox.kind'), cell: ({ kind }) => t(`mailKind.${kind}`) },
      { title: t('state'), cell: stateOf },
      { title: t('outbox.reply'), cell: ({ reply }) => (reply === null ? '–' : h('bdi', { class: 'reply' }, reply)) },
      { title: t('outbox.tries'), kind: 'number', cell: ({ attempts }) => numberText(attempts) },
      { title: t('outbox.asked'), cell: ({ createdAt }) => ago(createdAt) },
      { title: t('outbox.retry'), kind: 'actions', cell: retryButton },
    ],
    items,
  )
}

function stateOf({ state, dueAt, doneAt }: Message): Child {
  const when =
    state === 'waiting' && dueAt !== null ? [t('outbox.next'), ' ', ago(dueAt)] : doneAt === null ? null : ago(doneAt)
  return [
    messageTag(state),
    when === null ? null : h('span', { class: 'when' }, when),
  ]
}
