/**
 * Which feed a headline came from, and which others have its story: the same title on the same day in the same topic. One of two
 * can be merged into the other, which takes its place also where readers have saved it.
 */
import type { HeadlineOrigins, SameStories } from '../../../models/responses.ts'
import { headline } from '../../../models/headline.ts'
import { missingMembers } from '../../../models/incomplete.ts'
import type { Members } from '../../any-documents.ts'
import { isBeingRemoved, onDocumentsChanged } from '../../changed-documents.ts'
import { pathOf } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { handsIn, mayDelete } from '../../review-duty.ts'
import { removeWithUndo } from '../../removal.ts'
import type { ScreenContext } from '../../screen.ts'
import { FEEDS, hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { button, fill, h, webUrl, type Child } from '../../kit/dom.ts'
import { outsideLink } from '../../kit/elements.ts'
import { keepFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { statusTag } from '../../kit/status-tag.ts'
import { inRow } from '../../kit/work-button.ts'

type Origin = HeadlineOrigins['items'][number]
type Story = SameStories['items'][number]

/** Draws it into an element; `document` gives the headline as it is stored. */
export function feedOrigins(element: HTMLElement, context: Pick<ScreenContext, 'client' | 'signal' | 'user'>, document: () => Members | undefined) {
  const { client, signal, user } = context
  let shown: string | undefined
  let [origins, stories]: [readonly Origin[], readonly Story[]] = [[], []]
  onDocumentsChanged(draw, signal)

  async function look(id: string): Promise<void> {
    try {
      const [found, same] = await Promise.all([client.admin.headlineOrigins({ ids: [id] }, { signal }), client.admin.sameStories(id, { signal })])
      if (signal.aborted || shown !== id) return
      ;[origins, stories] = [found.items, same.items]
    } catch {
      // It is said beside facts that are there without it.
      ;[origins, stories] = [[], []]
    }
    draw()
  }

  function draw(): void {
    const of = origins.find(({ isAlsoIn }) => !isAlsoIn)
    const pages = origins.filter(({ isAlsoIn }) => isAlsoIn)
    const others = stories.filter((one) => !isBeingRemoved(one))
    keepFocus(element, () =>
      fill(
        element,
        of !== undefined && h('p', {}, t('origins.from'), ' ', feedLink(of), ' ', itemLink(of, document())),
        (pages.length > 0 || others.length > 0) && h('h3', {}, t('origins.alsoIn')),
        pages.length > 0 && h('p', {}, pages.map((one, i) => [i > 0 && ' · ', feedLink(one)])),
        others.length > 0 && h('ul', {}, others.map((one) => h('li', { class: 'flow' }, storyLine(one)))),
      ),
    )
  }

  function storyLine(story: Story): Child {
    // What takes the place of another one in the lists of readers is whole; with review on, administrators decide about these.
    const isWhole = missingMembers(headline, document() ?? {}).length === 0
    const mayMerge = isWhole && !handsIn(headline, user) && may('remove', headline, user) && mayDelete(headline, user, story.status)
    return [
      h('a', { href: hrefTo([pathOf(headline), story.id]) }, h('bdi', {}, story.title)),
      h('span', { class: 'soft' }, h('bdi', {}, story.feedTitle ?? t('origins.deletedFeed'))),
      statusTag(story.status),
      mayMerge && button(t('origins.merge'), () => void merge(story), { class: 'small', ...inRow(t('origins.merge'), { id: story.id, title: story.feedTitle ?? story.title }) }),
    ]
  }

  async function merge(story: Story): Promise<void> {
    const kept = shown
    const from = story.feedTitle ?? t('origins.deletedFeed')
    if (kept === undefined || !(await ask({ title: t('origins.mergeTitle'), text: t('origins.mergeText', { feed: from }), confirm: t('origins.merge'), isDangerous: true }))) return
    await removeWithUndo({ client, model: headline, ids: [story.id], replaceBy: story.isIncomplete ? undefined : kept, notice: () => t('origins.merged', { feed: from }), onBack: () => void look(kept) })
    if (shown === kept) void look(kept)
  }

  return {
    /** Reads it now; undefined for a headline that is not stored yet. */
    show(id: string | undefined): void {
      shown = id
      if (id === undefined) fill(element)
      else void look(id)
    },
  }
}

function feedLink({ feed, title }: Origin): Child {
  return title === null ? t('origins.deletedFeed') : h('a', { href: hrefTo([FEEDS, feed]) }, h('bdi', {}, title))
}

/** Its own id may be its address; else it is where the headline leads. */
function itemLink({ item }: Origin, document: Members | undefined): Child {
  const href = webUrl(item ?? '') ?? webUrl(String(document?.['url'] ?? ''))
  return href !== undefined && outsideLink(href, [t('feeds.openItem'), ' ', icon('external')])
}
