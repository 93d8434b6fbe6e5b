/** What administrators do with a feed, wherever it is shown: fetch it, pause it, take another address, delete it. */
import { feed } from '../../../models/feed-model.ts'
import type { FeedHealth } from '../../../models/responses.ts'
import { removeWithUndo } from '../../removal.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { h, type Child } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { notify } from '../../kit/notices.ts'
import { inRow, workButton } from '../../kit/work-button.ts'
import { problemSentence } from './feed-words.ts'

export interface FeedButtons {
  readonly fetch: HTMLElement
  readonly pause: HTMLElement
  readonly remove: HTMLElement
  /** Where a failing feed has another address; null elsewhere. */
  readonly useAddress: HTMLElement | null
}

interface FeedWork {
  /** Reads again what is shown of it. */
  readonly changed: () => void
  /** The deletion has begun. */
  readonly removed: () => void
}

/** The buttons of a feed. Each says in its name of which, as there are many in a list. */
export function feedButtons({ client, signal }: ScreenContext, health: FeedHealth, { changed, removed }: FeedWork): FeedButtons {
  const { id, title, status, suggestedAddress } = health
  const isPaused = status === 'paused'
  const feeds = client.data('feed')
  const named = (label: string, content: Child, kind: string, work: () => Promise<void>): HTMLElement =>
    workButton(content, work, { class: `small ${kind}`.trim(), ...inRow(label, { id, title }) })
  const [fetchNow, pause] = [t('feeds.fetchNow'), t(isPaused ? 'feeds.resume' : 'feeds.pause')]
  return {
    fetch: named(fetchNow, [icon('refresh'), h('span', {}, fetchNow)], '', async () => {
      const { problem } = await client.admin.fetchFeed(id, { signal })
      if (problem !== null) notify(problemSentence(problem), { kind: 'failed' })
      else notify(t('feeds.fetched', { title }), { kind: 'done' })
      changed()
    }),
    pause: named(pause, pause, '', async () => {
      await feeds.patch(id, { paused: !isPaused }, { signal })
      notify(t(isPaused ? 'feeds.resumed' : 'feeds.isPaused', { title }), { kind: 'done' })
      changed()
    }),
    remove: named(t('delete'), icon('trash'), 'plain', async () => {
      const isSure = await ask({ title: t('feeds.removeTitle', { title }), text: t('feeds.removeText'), confirm: t('delete'), isDangerous: true })
      if (!isSure) return
      void removeWithUndo({ client, model: feed, ids: [id], notice: () => t('feeds.removed', { title }), onBack: changed }).then(changed)
      removed()
    }),
    useAddress:
      suggestedAddress === null
        ? null
        : named(t('pair', { name: t('feeds.useThis'), value: suggestedAddress }), [icon('check'), t('feeds.useThis')], 'primary', async () => {
            await feeds.patch(id, { address: suggestedAddress }, { signal })
            notify(t('feeds.addressUsed', { address: suggestedAddress }), { kind: 'done' })
            changed()
          }),
  }
}
