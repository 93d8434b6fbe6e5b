/**
 * The screens, each with its path, its readers and what opens it. Those of content come from the declarations of the
 * models: a new model has a screen without a line here.
 */
import { hasDashboard, isAdmin, type Caller } from '../models/caller.ts'
import { modelsTitle, pathOf } from './model-titles.ts'
import { contentModels } from './permissions.ts'
import type { ScreenUrl } from './screen-url.ts'
import type { OpenScreen } from './screen.ts'
import { contentScreen } from './screens/list/content-screen.ts'
import { overviewScreen } from './screens/overview/overview-screen.ts'
import { t, withScreenTexts } from './texts.ts'
import { isIcon, type IconName } from './kit/icons.ts'

/** The path of the reader's own sessions. */
export const OWN_SESSIONS = 'sessions'

export interface ScreenEntry {
  /** The first segment of its places; empty for the first page. */
  readonly path: string
  readonly title: string
  readonly icon: IconName
  /** A screen that only some readers open is fetched when it is opened. */
  readonly load: (screenUrl: ScreenUrl) => OpenScreen | Promise<OpenScreen>
}

/** What a user sees in the navigation, in its order. */
export function screensOf(caller: Caller): readonly ScreenEntry[] {
  const content = contentModels(caller).map((model): ScreenEntry => ({
    path: pathOf(model),
    title: modelsTitle(model),
    icon: isIcon(model.name) ? model.name : 'headline',
    load: (screenUrl) => contentScreen(model, screenUrl),
  }))
  const administration: readonly ScreenEntry[] = [
    {
      path: 'users',
      title: t('users.title'),
      icon: 'user',
      load: () => withScreenTexts(import('./screens/users/users-screen.ts').then(({ usersScreen }) => usersScreen)),
    },
    {
      path: 'configuration',
      title: t('configuration.title'),
      icon: 'remote_config',
      load: () =>
        withScreenTexts(import('./screens/configuration/configuration-screen.ts').then(({ configurationScreen }) => configurationScreen)),
    },
    {
      path: 'operations',
      title: t('operations.title'),
      icon: 'operations',
      load: () => withScreenTexts(import('./screens/operations/operations-screen.ts').then(({ operationsScreen }) => operationsScreen)),
    },
  ]
  if (!hasDashboard(caller)) return []
  return [
    { path: '', title: t('overview.title'), icon: 'overview', load: () => overviewScreen },
    ...content,
    ...(isAdmin(caller) ? administration : []),
  ]
}

/** The screens of the own account, which its menu opens. */
export function accountScreens(caller: Caller): readonly Pick<ScreenEntry, 'path' | 'load'>[] {
  if (!hasDashboard(caller)) return []
  const load = () =>
    withScreenTexts(import('./screens/users/own-sessions-screen.ts').then(({ ownSessionsScreen }) => ownSessionsScreen))
  return [{ path: OWN_SESSIONS, load }]
}
