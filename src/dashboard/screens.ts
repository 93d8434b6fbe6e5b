/**
 * The screens, each with its path, its readers and what opens it. Those of content come from the declarations of the
 * models: a new model has a screen without a line here. A screen that most visits do without is in the second script
 * (second-script.ts), and its name there stands here.
 */
import { hasDashboard, isAdmin, type Caller } from '../models/caller.ts'
import { feed } from '../models/feed-model.ts'
import { isScheduled } from '../models/workflow.ts'
import { modelsTitle, pathOf } from './model-titles.ts'
import { contentModels, may } from './permissions.ts'
import type { LoadableScreen } from './screen-loading.ts'
import { FEEDS, FIRST_RUN, PUBLICATIONS, SCHEDULED } from './screen-url.ts'
import { documentEditor } from './screens/editor/document-editor.ts'
import { documentList } from './screens/list/document-list.ts'
import { overviewScreen } from './screens/overview/overview-screen.ts'
import { scheduledScreen } from './screens/scheduled/scheduled-screen.ts'
import { t } from './texts.ts'
import { isIcon, type IconName } from './kit/icons.ts'

/** The path of the reader's own sessions. */
export const OWN_SESSIONS = 'sessions'

/** What the navigation puts together, in its order. */
export const SCREEN_GROUPS = ['content', 'planning', 'administration'] as const
type ScreenGroup = (typeof SCREEN_GROUPS)[number]

export interface ScreenEntry {
  /** The first segment of its places; empty for the first page. */
  readonly path: string
  readonly title: string
  readonly icon: IconName
  /** Where it stands in the navigation. */
  readonly group: ScreenGroup
  readonly open: LoadableScreen
}

type AccountScreen = Pick<ScreenEntry, 'path' | 'open'>

/** What a user sees in the navigation, in its order. */
export function screensOf(caller: Caller): readonly ScreenEntry[] {
  const content = contentModels(caller).map((model): ScreenEntry => ({
    path: pathOf(model),
    title: modelsTitle(model),
    icon: isIcon(model.name) ? model.name : 'headline',
    group: 'content',
    // The list is at `/headlines`, an editor at `/headlines/new` and `/headlines/ID`.
    open: (context) => (context.screenUrl.segments[1] === undefined ? documentList : documentEditor)(model, context),
  }))
  const trash: ScreenEntry = { path: 'trash', title: t('trash.title'), icon: 'trash', group: 'content', open: 'trash' }
  const scheduled: ScreenEntry = { path: SCHEDULED, title: t('scheduled.title'), icon: 'calendar', group: 'planning', open: scheduledScreen }
  const feeds: ScreenEntry = { path: FEEDS, title: t('models.feed'), icon: 'feed', group: 'content', open: 'feeds' }
  const mayRemove = contentModels(caller).some((model) => may('remove', model, caller))
  const administration: readonly ScreenEntry[] = [
    { path: PUBLICATIONS, title: t('models.publication'), icon: 'publish', group: 'administration', open: 'publications' },
    { path: 'users', title: t('models.user'), icon: 'user', group: 'administration', open: 'users' },
    { path: 'configuration', title: t('model.remote_config'), icon: 'remote_config', group: 'administration', open: 'configuration' },
    { path: 'operations', title: t('operations.title'), icon: 'operations', group: 'administration', open: 'operations' },
  ]
  if (!hasDashboard(caller)) return []
  return [
    { path: '', title: t('overview.title'), icon: 'overview', group: 'content', open: overviewScreen },
    ...content,
    ...(may('list', feed, caller) ? [feeds] : []),
    ...(mayRemove ? [trash] : []),
    ...(contentModels(caller).some(isScheduled) ? [scheduled] : []),
    ...(isAdmin(caller) ? administration : []),
  ]
}

/** The screens that are not in the navigation from the beginning. */
export function accountScreens(caller: Caller): readonly AccountScreen[] {
  if (!hasDashboard(caller)) return []
  const ofAdministrators: readonly AccountScreen[] = [
    { path: FIRST_RUN, open: 'firstRun' },
    { path: 'review', open: 'review' },
  ]
  return [{ path: OWN_SESSIONS, open: 'ownSessions' }, ...(isAdmin(caller) ? ofAdministrators : [])]
}
