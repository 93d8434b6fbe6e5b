/**
 * The screens, each with its path, its readers and what opens it. Those of content come from the declarations of the
 * models: a new model has a screen without a line here.
 */
import { hasDashboard, isAdmin, type Caller } from '../models/caller.ts'
import { isScheduled } from '../models/scheduled.ts'
import { modelsTitle, pathOf } from './model-titles.ts'
import { contentModels, may } from './permissions.ts'
import { FIRST_RUN, SCHEDULED, type ScreenUrl } from './screen-url.ts'
import type { OpenScreen } from './screen.ts'
import { contentScreen } from './screens/list/content-screen.ts'
import { overviewScreen } from './screens/overview/overview-screen.ts'
import { t, withFirstRunTexts, withReviewTexts, withScreenTexts } from './texts.ts'
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
  /** All but the first page are fetched when they are opened. */
  readonly load: (screenUrl: ScreenUrl) => OpenScreen | Promise<OpenScreen>
}

/** What a user sees in the navigation, in its order. */
export function screensOf(caller: Caller): readonly ScreenEntry[] {
  const content = contentModels(caller).map((model): ScreenEntry => ({
    path: pathOf(model),
    title: modelsTitle(model),
    icon: isIcon(model.name) ? model.name : 'headline',
    group: 'content',
    load: (screenUrl) => contentScreen(model, screenUrl),
  }))
  const trash: ScreenEntry = {
    path: 'trash',
    title: t('trash.title'),
    icon: 'trash',
    group: 'content',
    load: () => withScreenTexts(import('./screens/trash/trash-screen.ts').then(({ trashScreen }) => trashScreen)),
  }
  const scheduled: ScreenEntry = {
    path: SCHEDULED,
    title: t('scheduled.title'),
    icon: 'calendar',
    group: 'planning',
    load: () => withScreenTexts(import('./screens/scheduled/scheduled-screen.ts').then(({ scheduledScreen }) => scheduledScreen)),
  }
  const mayRemove = contentModels(caller).some((model) => may('remove', model, caller))
  const administration: readonly ScreenEntry[] = [
    {
      path: 'users',
      title: t('users.title'),
      icon: 'user',
      group: 'administration',
      load: () => withScreenTexts(import('./screens/users/users-screen.ts').then(({ usersScreen }) => usersScreen)),
    },
    {
      path: 'configuration',
      title: t('configuration.title'),
      icon: 'remote_config',
      group: 'administration',
      load: () =>
        withScreenTexts(import('./screens/configuration/configuration-screen.ts').then(({ configurationScreen }) => configurationScreen)),
    },
    {
      path: 'operations',
      title: t('operations.title'),
      icon: 'operations',
      group: 'administration',
      load: () => withScreenTexts(import('./screens/operations/operations-screen.ts').then(({ operationsScreen }) => operationsScreen)),
    },
  ]
  if (!hasDashboard(caller)) return []
  return [
    { path: '', title: t('overview.title'), icon: 'overview', group: 'content', load: () => overviewScreen },
    ...content,
    ...(mayRemove ? [trash] : []),
    ...(contentModels(caller).some(isScheduled) ? [scheduled] : []),
    ...(isAdmin(caller) ? administration : []),
  ]
}

/** The screens that are not in the navigation from the beginning. */
export function accountScreens(caller: Caller): readonly Pick<ScreenEntry, 'path' | 'load'>[] {
  if (!hasDashboard(caller)) return []
  const load = () =>
    withScreenTexts(import('./screens/users/own-sessions-screen.ts').then(({ ownSessionsScreen }) => ownSessionsScreen))
  const firstRun = () =>
    withFirstRunTexts(import('./screens/first-run/first-run-screen.ts').then(({ firstRunScreen }) => firstRunScreen))
  const review = () =>
    withScreenTexts(withReviewTexts(import('./screens/review/review-screen.ts').then(({ reviewScreen }) => reviewScreen)))
  return [{ path: OWN_SESSIONS, load }, ...(isAdmin(caller) ? [{ path: FIRST_RUN, load: firstRun }, { path: 'review', load: review }] : [])]
}
