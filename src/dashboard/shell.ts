/** What opens and leaves screens, and the question before something is lost. */
import { isAdmin } from '../models/caller.ts'
import type { User } from '../models/user.ts'
import { createLive } from './live-changes.ts'
import { followNavigation } from './navigation.ts'
import { currentScreenUrl, goTo, hrefTo } from './screen-url.ts'
import { readReviewDuty } from './review-duty.ts'
import { followReviews } from './review-link.ts'
import type { OpenScreen, Screen, ScreenContext } from './screen.ts'
import { loadScreen, prefetchSecondScript } from './screen-loading.ts'
import { accountScreens, screensOf } from './screens.ts'
import { openFrame } from './shell-frame.ts'
import { onShellKeys } from './shell-keys.ts'
import { shellPalette } from './shell-palette.ts'
import { t, type LanguageCode } from './texts.ts'
import { isUpgraded } from './upgrade.ts'
import { button, fill, h } from './kit/dom.ts'
import { closeDialogs } from './kit/dialog.ts'
import { focusMain } from './kit/focus.ts'
import { keepNotices } from './kit/notices.ts'
import { emptyState, failureState, skeleton } from './kit/states.ts'

export interface ShellOptions {
  readonly client: ScreenContext['client']
  readonly user: User
  /** Asked above the screen. */
  readonly question: HTMLElement | undefined
  readonly signOut: () => void
  readonly restart: () => void
  readonly chooseLanguage: (code: LanguageCode) => void
  /** Ends everything the shell listens to. */
  readonly signal: AbortSignal
}

/** Fills the page and opens the screen of the current URL. */
export function openShell({ client, user, question, signOut, restart, chooseLanguage, signal }: ShellOptions): void {
  const entries = screensOf(user)
  const leaveAndSignOut = (): void => void leaveFor(signOut)
  const palette = shellPalette({ client, user, entries, screen: () => screen, signOut: leaveAndSignOut })
  const { main, showNavigation, markCurrent } = openFrame({
    entries,
    user,
    question,
    signal,
    openPalette: palette.openPalette,
    openHelp: palette.openHelp,
    signOut: leaveAndSignOut,
    chooseLanguage: (code) => leaveFor(() => chooseLanguage(code)),
  })
  /** The service is another version by now than the page. */
  let isOld = false
  const onInterrupted = async (): Promise<void> => void (isOld = await isUpgraded(signal))
  const live = createLive({ token: () => client.token, user, onInterrupted: () => void onInterrupted(), signal })
  keepNotices()
  if (isAdmin(user)) followReviews({ client, live, signal })
  const duty = readReviewDuty({ client, user, signal })
  let screen: Screen | undefined
  let leaving = new AbortController()
  signal.addEventListener('abort', () => leaving.abort())
  onShellKeys({ ...palette, screen: () => screen, closeNavigation: () => showNavigation(false), signal })
  addEventListener(
    'beforeunload',
    (event) => {
      if (screen?.hasUnsaved?.() === true) event.preventDefault()
    },
    { signal },
  )
  followNavigation({ mayLeave, show: () => void show(true), signal })
  void show(false)
  if (isAdmin(user)) prefetchSecondScript(signal)

  async function show(isMove: boolean): Promise<void> {
    leaving.abort()
    leaving = new AbortController()
    const { signal: left } = leaving
    showNavigation(false)
    closeDialogs()
    // What was typed there is given up by now.
    screen = undefined
    if (isMove && isOld) return location.reload()
    const screenUrl = currentScreenUrl()
    const [path = ''] = screenUrl.segments
    fill(main, skeleton(6)).ariaBusy = 'true'
    const entry = entries.find((one) => one.path === path)
    const { open } = entry ?? accountScreens(user).find((one) => one.path === path) ?? { open: nowhere }
    const [loaded] = await Promise.all([loadScreen(open).catch(notLoaded), duty])
    if (left.aborted) return
    main.ariaBusy = null
    screen = loaded({ client, user, screenUrl, live, signal: left, restart })
    fill(main, screen.element)
    document.title = `${screen.title} · Dateline`
    markCurrent(entry)
    if (!isMove) return
    // A reader who does not see the page hears that another screen is there.
    focusMain()
    scrollTo(0, 0)
  }

  /** What stands in the place of a screen whose script cannot be fetched. A service that was upgraded has another one. */
  async function notLoaded(error: unknown): Promise<OpenScreen> {
    if (await isUpgraded(signal)) return reload()
    return () => ({ title: t('failure.network'), element: h('section', {}, failureState(error, () => void show(true))) })
  }

  function mayLeave(): boolean | Promise<boolean> {
    return screen?.hasUnsaved?.() !== true || (screen.mayLeave?.() ?? true)
  }

  /** Does what takes the screen away, unless the reader would rather keep what is typed there. */
  async function leaveFor(run: () => void): Promise<boolean> {
    const isLeft = await mayLeave()
    if (isLeft) run()
    return isLeft
  }
}

/** The rest of this page is not to run. */
function reload(): Promise<never> {
  location.reload()
  return new Promise(() => {})
}

function nowhere({ screenUrl: { segments } }: ScreenContext): Screen {
  const home = button(t('overview.title'), () => goTo(hrefTo([])))
  const title = t('shell.nowhere')
  return {
    title,
    element: h(
      'section',
      {},
      h('h1', {}, title),
      emptyState('search', t('shell.nowhereText', { path: segments.join('/') }), home),
    ),
  }
}
