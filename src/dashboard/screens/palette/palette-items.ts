/** What the palette offers: what can be done on the screen, screens to go to, documents to create, and documents that are found. */
import { isAdmin } from '../../../models/caller.ts'
import { MODELS } from '../../../models/registry.ts'
import type { Model } from '../../../models/schema.ts'
import { documentsOf, draftsOf, labelOf } from '../../any-documents.ts'
import { modelsTitle, modelTitle, newTitle, pathOf, valueTitle } from '../../model-titles.ts'
import { contentModels, may } from '../../permissions.ts'
import { hrefTo } from '../../screen-url.ts'
import type { ScreenAction, ScreenContext } from '../../screen.ts'
import type { ScreenEntry } from '../../screens.ts'
import { t } from '../../texts.ts'
import { isIcon, type IconName } from '../../kit/icons.ts'
import { isPlanned } from '../../kit/status-tag.ts'

/** Of each model. */
const FOUND_MAX = 5

/** In the order in which the palette shows them, but for what begins with the text. */
export const GROUPS = ['actions', 'documents', 'views', 'create', 'go', 'account'] as const

export interface PaletteItem {
  readonly group: (typeof GROUPS)[number]
  readonly title: string
  readonly icon: IconName
  /** Beside the title: a model, or a status. */
  readonly detail?: string
  /** Where it leads; another tab can be opened there. */
  readonly href?: string
  readonly run?: () => void
}

export interface PaletteSources extends Pick<ScreenContext, 'client' | 'user'> {
  readonly entries: readonly ScreenEntry[]
  /** Of the screen. */
  readonly actions: readonly ScreenAction[]
  /** Of the account. */
  readonly account: readonly ScreenAction[]
}

/** All that is known without asking the service. */
export function knownItems({ user, entries, actions, account }: PaletteSources): readonly PaletteItem[] {
  const creatable = contentModels(user).filter((model) => may('create', model, user))
  return [
    ...actions.map((action): PaletteItem => ({ group: 'actions', ...action })),
    ...creatable.map((model): PaletteItem => ({ group: 'create', title: newTitle(model), icon: 'plus', href: hrefTo([pathOf(model), 'new']) })),
    ...entries.map(({ path, title, icon }): PaletteItem => ({ group: 'go', title, icon, href: hrefTo(path === '' ? [] : [path]) })),
    ...account.map((action): PaletteItem => ({ group: 'account', ...action })),
  ]
}

/** Lists that the reader has named. */
export async function viewItems({ client, user }: PaletteSources, signal: AbortSignal): Promise<readonly PaletteItem[]> {
  const { items } = await client.dashboard.views({ signal })
  return items.flatMap(({ name, model: modelName, query }): readonly PaletteItem[] => {
    const model = contentModels(user).find((one) => one.name === modelName)
    if (model === undefined) return []
    return [{ group: 'views', title: name, icon: iconOf(model.name), detail: modelsTitle(model), href: hrefTo([pathOf(model)], new URLSearchParams(query)) }]
  })
}

/** Documents of all models that the reader edits. A model that cannot be read now has none. */
export async function foundItems({ client, user }: PaletteSources, text: string, signal: AbortSignal): Promise<readonly PaletteItem[]> {
  const users = (MODELS as readonly Model[]).filter(({ name }) => name === 'user' && isAdmin(user))
  const found = [...contentModels(user), ...users].map(async (model): Promise<readonly PaletteItem[]> => {
    const query = { limit: FOUND_MAX }
    const { items } = await (model === users[0]
      ? documentsOf(client, model).list({ ...query, filter: { q: text } }, { signal })
      : draftsOf(client, model).list({ ...query, search: text }, { signal }))
    return items.map((one) => {
      const { status } = one
      const isOther = typeof status === 'string' && status !== 'active'
      const detail = isOther ? `${modelTitle(model)} · ${isPlanned(one) ? t('status.scheduled') : valueTitle(status)}` : modelTitle(model)
      return { group: 'documents', title: labelOf(one), icon: iconOf(model.name), detail, href: hrefTo([pathOf(model), one.id]) }
    })
  })
  const settled = await Promise.allSettled(found)
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed !== undefined && settled.every((one) => one.status === 'rejected')) throw failed.reason
  return settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

function iconOf(name: string): IconName {
  return isIcon(name) ? name : 'docs'
}

/** Whether each word is somewhere in the title, whatever its accents and letters are. */
export function isMatch(title: string, text: string): boolean {
  const folded = fold(title)
  return fold(text)
    .split(/\s+/)
    .every((word) => folded.includes(word))
}

/** Whether the title begins with the text, folded as well. */
export function isBeginning(title: string, text: string): boolean {
  return fold(title).startsWith(fold(text))
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}
