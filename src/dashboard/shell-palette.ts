/** What opens the palette and the help on keys. */
import { may, contentModels } from './permissions.ts'
import { pathOf } from './model-titles.ts'
import { currentScreenUrl, goTo, hrefTo } from './screen-url.ts'
import type { Screen, ScreenAction, ScreenContext } from './screen.ts'
import { OWN_SESSIONS, type ScreenEntry } from './screens.ts'
import { openKeyHelp } from './screens/palette/key-help.ts'
import { openPalette } from './screens/palette/palette.ts'
import { t } from './texts.ts'

export interface ShellPaletteOptions extends Pick<ScreenContext, 'client' | 'user'> {
  readonly entries: readonly ScreenEntry[]
  readonly screen: () => Screen | undefined
  readonly signOut: () => void
}

export function shellPalette({ client, user, entries, screen, signOut }: ShellPaletteOptions) {
  const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null
  const openHelp = (): void => {
    if (!isDialogOpen()) openKeyHelp()
  }

  function open(actions: readonly ScreenAction[], isNarrow: boolean): void {
    if (isDialogOpen()) return
    const account: readonly ScreenAction[] = [
      { title: t('shell.sessions'), icon: 'user', run: () => goTo(hrefTo([OWN_SESSIONS])) },
      { title: t('help.title'), icon: 'docs', run: openHelp },
      { title: t('shell.signOut'), icon: 'external', run: signOut },
    ]
    openPalette({ client, user, entries, actions, account, isNarrow })
  }

  /** What the screen can do now, before the palette has the focus. */
  const actionsNow = (): readonly ScreenAction[] => screen()?.actions?.() ?? []

  return {
    openHelp,
    openPalette: () => open(actionsNow(), false),
    openStatuses(): void {
      const statuses = actionsNow().filter(({ isStatus }) => isStatus)
      if (statuses.length > 0) open(statuses, true)
    },
    /** Opens the editor of a new document: of the model on the screen, or else of the first. */
    create(): void {
      const models = contentModels(user).filter((model) => may('create', model, user))
      const [path] = currentScreenUrl().segments
      const model = models.find((one) => pathOf(one) === path) ?? models[0]
      if (model !== undefined) goTo(hrefTo([pathOf(model), 'new']))
    },
  }
}
