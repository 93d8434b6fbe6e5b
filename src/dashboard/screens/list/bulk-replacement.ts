/** Asks what becomes of the copies of documents that are deleted together, where others use some of them. */
import type { Client } from '../../../client/client.ts'
import type { DocumentsUsage } from '../../../models/responses.ts'
import type { Model } from '../../../models/schema.ts'
import { documentsOf } from '../../any-documents.ts'
import { BATCH_MAX } from '../../batches.ts'
import { countTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { notify } from '../../kit/notices.ts'
import { askForReplacement, readUsage, usedIn } from '../editor/replacement-dialog.ts'

export interface Deleting {
  readonly model: Model
  readonly client: Client
  readonly ids: readonly string[]
  /** Keeps the window open while it is not known whether the reader has to be asked. */
  readonly holding: <T>(wait: Promise<T>) => Promise<T>
  readonly signal: AbortSignal
}

interface Decided {
  readonly replaceBy: string | undefined
  /** Which of them have copies. */
  readonly replaced: readonly string[]
}

/** Undefined where nothing was decided. A reader who has left the list meanwhile is told so. */
export async function decideReplacements({ model, client, ids, holding, signal }: Deleting): Promise<Decided | undefined> {
  const title = t('usage.titleMany', { items: countTitle(model, ids.length) })
  // It goes on for a reader who leaves: what is used nowhere needs no answer.
  const usage = await readUsage(title, () => holding(usageOf({ model, client, ids })), signal)
  if (usage?.used.length === 0) return { replaceBy: undefined, replaced: [] }
  if (signal.aborted) notify(t('usage.left'), { kind: 'failed' })
  if (usage === undefined || signal.aborted) return undefined
  const { used, items } = usage
  const decided = await askForReplacement({
    ...{ model, client, signal, deleted: ids },
    words: {
      title,
      question: t('usage.questionMany', { count: used.length, what: usedIn(items) }),
      copies: t('usage.copiesMany'),
      keep: [t('usage.keepMany'), t('usage.keepManyText')],
      replace: [t('usage.replaceMany'), t('usage.replaceManyText')],
    },
  })
  return decided && { ...decided, replaced: used }
}

const NOT_USED: DocumentsUsage = { used: [], items: [] }

/** As many at a time as the service takes. */
async function usageOf({ model, client, ids }: Pick<Deleting, 'model' | 'client' | 'ids'>): Promise<DocumentsUsage> {
  let all = NOT_USED
  for (let begin = 0; begin < ids.length; begin += BATCH_MAX) {
    const { used, items } = await documentsOf(client, model).usageOfMany({ ids: ids.slice(begin, begin + BATCH_MAX) })
    const sums = items.map((item, i) => {
      const before = all.items[i]
      return { ...item, total: item.total + (before?.total ?? 0), totalIsFloor: item.totalIsFloor || before?.totalIsFloor === true }
    })
    all = { used: [...all.used, ...used], items: sums }
  }
  return all
}
