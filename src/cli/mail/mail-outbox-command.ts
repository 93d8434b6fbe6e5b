/** `mail outbox` and `mail retry`, also while the service runs. Codes are encrypted, and deleted with the mail. */
import { messageJson, WHY_NOT_RETRIED } from '../../endpoints/outbox.ts'
import { systemClock } from '../../base/clock.ts'
import { fail } from '../../base/failure.ts'
import { isId } from '../../base/ids.ts'
import { MESSAGE_STATES, type MessageState } from '../../models/message-state.ts'
import { OPERATOR } from '../../store/actor.ts'
import { JSON_LINES_FLAG, UsageError, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { commandRecord } from '../command-record.ts'
import { printTable } from '../print-table.ts'
import { withData } from '../with-services.ts'
import type { MessageRecord, OutboxSummary } from '../../store/outbox/outbox-table.ts'

const LISTED_MAX = 1_000

export const mailOutboxCommand: Command = {
  name: 'mail outbox',
  summary: 'list waiting mail and the mail of the last seven days, newest first',
  options: [
    { flag: '--state', value: 'STATE', meaning: `only this state: ${MESSAGE_STATES.join(', ')}` },
    JSON_LINES_FLAG,
  ],
  settings: DATA_SETTINGS,
  examples: ['dateline mail outbox', 'dateline mail outbox --state failed --json'],
  run(args, terminal) {
    const state = readState(args.options.get('--state'))
    return withData(args, terminal, async ({ store }) => {
      const now = systemClock()
      const records = store.outbox.listMessages({ state, limit: LISTED_MAX, now })
      if (args.options.has('--json')) {
        terminal.stdout.write(records.map((record) => `${JSON.stringify(messageJson(record))}\n`).join(''))
      } else {
        if (records.length > 0) terminal.stdout.write(`${printTable(COLUMNS, records.map(cells))}\n`)
        terminal.stdout.write(`${summaryText(store.outbox.outboxSummary(now), now)}\n`)
      }
      if (records.length === LISTED_MAX) {
        terminal.stderr.write(`Only the newest ${LISTED_MAX} are shown: see others with --state\n`)
      }
    })
  },
}

export const mailRetryCommand: Command = {
  name: 'mail retry',
  summary: 'retry a waiting mail immediately',
  operands: [{ name: 'ID', meaning: 'the id of the mail, as "dateline mail outbox" and the log show it' }],
  options: [],
  settings: DATA_SETTINGS,
  examples: ['dateline mail retry 69a42a40000453a753e1cc5a'],
  run(args, terminal) {
    const id = args.operands[0] ?? ''
    if (!isId(id)) throw new UsageError(`Cannot use ID: expected 24 characters of 0-9 and a-f, found "${id}"`)
    return withData(args, terminal, async ({ store }) => {
      const outcome = await store.as(OPERATOR).retryMessage(id, systemClock())
      if (outcome === 'missing') throw fail('notFound', `Cannot retry mail ${id}: the outbox has none of that id`)
      if (outcome !== 'due') throw fail('conflict', `Cannot retry mail ${id}: ${WHY_NOT_RETRIED[outcome]}`)
      await store.as(OPERATOR).record(commandRecord('mail retry', { id }))
      terminal.stdout.write(`Mail ${id} is due: the service tries it within seconds, or when it starts\n`)
    })
  },
}

function readState(given: string | undefined): MessageState | undefined {
  if (given === undefined) return undefined
  const state = MESSAGE_STATES.find((one) => one === given)
  if (state !== undefined) return state
  throw new UsageError(`Cannot use --state: expected one of ${MESSAGE_STATES.join(', ')}, found "${given}"`)
}

const COLUMNS = ['ID', 'TO', 'KIND', 'STATE', 'TRIES', 'CREATED', 'NEXT OR DONE', 'REPLY']

function cells(record: MessageRecord): string[] {
  const { id, address, kind, state, attempts, createdAt, dueAt, doneAt, reply } = messageJson(record)
  return [id, address, kind, state, String(attempts), createdAt, dueAt ?? doneAt ?? '', reply ?? '']
}

/** `3 waiting, 1 sending, 120 delivered; the oldest that is not sent is 42 seconds old` */
function summaryText({ counts, oldestWaitingAt }: OutboxSummary, now: number): string {
  const parts = MESSAGE_STATES.filter((state) => counts[state] > 0).map((state) => `${counts[state]} ${state}`)
  if (parts.length === 0) return 'The outbox is empty'
  if (oldestWaitingAt === undefined) return parts.join(', ')
  const seconds = Math.max(0, Math.round((now - oldestWaitingAt) / 1000))
  return `${parts.join(', ')}; the oldest that is not sent is ${seconds} seconds old`
}
