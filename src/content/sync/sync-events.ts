/**
 * The events of RxDB's clients: documents and the checkpoint behind them, as a pull gives them. A client that opens its
 * stream pulls immediately, so an event needs nothing of what was before; and one whose rights have changed has its stream
 * ended, opens another, and starts over with that pull.
 */
import type { EventFormat } from '../changes/page-memo.ts'
import { eventText } from '../../http/event-stream.ts'
import { checkpointAt, ownCheckpoint } from './sync-checkpoint.ts'
import { liveText, tombstoneText } from './sync-documents.ts'

export const SYNC_EVENTS: EventFormat = {
  name: 'sync',
  events({ items, next }, { models, rights }, history) {
    const [model] = models
    if (model === undefined) throw new Error('A client syncs one model')
    const last = items.at(-1)?.document
    const checkpoint = model.owned === true ? ownCheckpoint(last) : checkpointAt({ kind: 'follow', seq: next }, history, rights)
    const documents = items.map(({ record, document }) =>
      document === undefined ? tombstoneText(model, record.id) : liveText(document),
    )
    const data = `{"documents":[${documents.join()}],"checkpoint":${JSON.stringify(checkpoint)}}`
    return eventText({ id: String(next), data })
  },
  resync: () => undefined,
}
