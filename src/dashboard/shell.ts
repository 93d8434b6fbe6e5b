/**
 * What opens and leaves screens: the address, the keys that work everywhere, and the question before something is lost.
 */
import { NetworkError } from '../client/client.ts'
import type { User } from '../models/user.ts'
import { countSteps, currentPlace, goTo, hrefTo, noteHref, type Place } from './places.ts'
import type { OpenScreen, Screen, ScreenContext } from './screen.ts'
import { accountScreens, screensOf } from './screens.ts'
import { openFrame } from './shell-frame.ts'
import { t, type LanguageCode } from './texts.ts'
import { fill, h } from './kit/dom.ts'
import { closeDialogs } from './kit/dialog.ts'
import { openHelp } from './kit/help.ts'
import { keepNotices, takeBack } from './kit/notices.ts'
import { emptyState, failureState, isAbort, skeleton } from './kit/states.ts'

const NO_REPLY = { status: 0, code: 'noReply' }

export interface ShellOptions {
  readonly client: ScreenContext['client']
  readonly user: User
  readonly signOut: () => void
  readonly restart: () => void
  readonly chooseLanguage: (code: LanguageCode) => void
  /** Ends everything the shell listens to. */
  readonly signal: AbortSignal
}

/** Fills the page and opens the screen of the current place. */
export function openShell({ client, user, signOut, restart, chooseLanguage, signal }: ShellOptions): void {
  const entries = screensOf(user)
  const { main, showNavigation, markCurrent } = openFrame({
    entries,
    user,
    signal,
    signOut: () => void leaveFor(signOut),
    chooseLanguage: (code) => leaveFor(() => chooseLanguage(code)),
  })
  keepNotices()

  let screen: Screen | undefined
  let leaving = new AbortController()
  let shown = location.hash
  const stepsTaken = countSteps()
  /** How many steps the address is away from the screen that the reader has not left. */
  let away: number | undefined
  let isAsking = false
  void show(false)

  const options = { signal }
  addEventListener('hashchange', (event) => void move(event), options)
  addEventListener('keydown', onKey, options)
  addEventListener(
    'beforeunload',
    (event) => {
      if (screen?.hasUnsaved?.() === true) event.preventDefault()
    },
    options,
  )
  signal.addEventListener('abort', () => leaving.abort())

  /** The address has changed already. Where the reader must not leave, the step is taken back. */
  async function move({ oldURL }: HashChangeEvent): Promise<void> {
    const steps = stepsTaken()
    if (away !== undefined) {
      away += steps
      // Who steps on has been asked already.
      if (isAsking) return
      away = undefined
      if (location.hash !== shown) noteShown()
      return
    }
    // A screen may have noted its state in the address since it was opened.
    if (oldURL !== '') shown = new URL(oldURL).hash
    if (location.hash === shown) return
    if (screen?.mayLeave !== undefined && screen.hasUnsaved?.() !== false) {
      away = steps
      isAsking = true
      const isLeft = await screen.mayLeave()
      isAsking = false
      if (signal.aborted) return
      if (!isLeft) return comeBack(away)
      away = undefined
    }
    await show(true)
  }

  function comeBack(steps: number): void {
    if (steps !== 0) return history.go(-steps)
    away = undefined
    noteShown()
  }

  function noteShown(): void {
    noteHref(shown === '' ? './' : shown)
  }

  async function show(isMove: boolean): Promise<void> {
    shown = location.hash
    leaving.abort()
    leaving = new AbortController()
    showNavigation(false)
    closeDialogs()
    const place = currentPlace()
    const [path = ''] = place.segments
    const entry = entries.find((one) => one.path === path)
    const { signal: left } = leaving
    screen = undefined
    let open: OpenScreen | undefined
    try {
      const loaded = (entry ?? accountScreens(user).find((one) => one.path === path))?.load(place)
      if (loaded instanceof Promise) fill(main, skeleton(6))
      open = await loaded
    } catch (cause) {
      if (!left.aborted) showMissing(new NetworkError('Cannot fetch a part of the page', { ...NO_REPLY, cause }))
      return
    }
    if (left.aborted) return
    screen = open?.({ client, user, place, signal: left, restart }) ?? nowhere(place)
    fill(main, screen.element)
    document.title = `${screen.title} · Dateline`
    markCurrent(entry)
    if (!isMove) return
    // Who cannot see it hears that another screen is there.
    main.focus({ preventScroll: true })
    scrollTo(0, 0)
  }

  /**
   * A part of the page cannot be fetched: the service is away, or is another version by now. Some browsers never ask
   * for it again (https://github.com/whatwg/html/issues/6768), so the page reloads as soon as the service answers.
   */
  function showMissing(error: unknown): void {
    const retry = (): void => {
      client.dashboard.setup({ signal: leaving.signal }).then(() => location.reload(), showMissing)
    }
    if (!isAbort(error)) fill(main, failureState(error, retry))
  }

  function onKey(event: KeyboardEvent): void {
    const isTyping =
      event.target instanceof Element && event.target.closest('input:not([type=checkbox]), textarea, select')
    const isModal = document.querySelector('dialog[open]') !== null
    const control = event.ctrlKey || event.metaKey ? event.key.toLowerCase() : ''
    if (control === 's') {
      event.preventDefault()
      if (!isModal) screen?.save?.()
    } else if (isTyping || isModal) return
    else if (control === 'z' && !event.shiftKey) takeBack()
    else if (control !== '' || event.altKey) return
    else if (event.key === '/' && screen?.search !== undefined) {
      event.preventDefault()
      screen.search.focus()
    } else if (event.key === '?') {
      event.preventDefault()
      openHelp()
    } else if (event.key === 'Escape') showNavigation(false)
  }

  /** Does what takes the screen away, unless the reader would rather keep what is typed there. */
  async function leaveFor(run: () => void): Promise<boolean> {
    if (screen?.hasUnsaved?.() === true && (await screen.mayLeave?.()) === false) return false
    run()
    return true
  }
}

function nowhere({ segments }: Place): Screen {
  const home = h('button', { type: 'button', on: { click: () => goTo(hrefTo([])) } }, t('overview.title'))
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
