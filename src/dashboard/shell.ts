/**
 * What stays while screens come and go: navigation, the account, the keys that work everywhere, and who may be left.
 */
import type { User } from '../models/user.ts'
import { currentPlace, goTo, hrefTo, type Place } from './places.ts'
import type { Screen, ScreenContext } from './screen.ts'
import { screensOf, type ScreenEntry } from './screens.ts'
import { currentLanguage, t, type LanguageCode } from './texts/texts.ts'
import { fill, h } from './view/dom.ts'
import { dropDown } from './view/drop-down.ts'
import { icon } from './view/icons.ts'
import { openHelp } from './view/help.ts'
import { languageChoice } from './view/language-choice.ts'
import { emptyState, failureState, skeleton } from './view/states.ts'

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
  const main = h('main', { id: 'main', tabindex: '-1' })
  const navigation = h('nav', { id: 'navigation', 'aria-label': t('shell.navigation') })
  const links = entries.map((entry) => navigationLink(entry))
  fill(
    navigation,
    h(
      'ul',
      {},
      links.map((link) => h('li', {}, link)),
    ),
    h(
      'ul',
      { class: 'apart' },
      h(
        'li',
        {},
        h('a', { href: 'docs', target: '_blank', rel: 'noopener' }, icon('docs'), h('span', {}, t('shell.reference'))),
      ),
    ),
  )
  const offline = h('p', { class: 'banner', role: 'status', hidden: navigator.onLine }, t('shell.offline'))
  const menuButton = h(
    'button',
    {
      type: 'button',
      class: 'plain menu-button',
      'aria-label': t('shell.menu'),
      'aria-expanded': 'false',
      'aria-controls': 'navigation',
      on: { click: () => showNavigation(!document.body.classList.contains('navigating')) },
    },
    icon('menu'),
  )
  document.body.className = 'signed-in'
  fill(
    document.body,
    h('a', { class: 'skip', href: '#main', on: { click: skip } }, t('shell.skip')),
    h(
      'header',
      { class: 'top' },
      menuButton,
      h('a', { class: 'brand', href: hrefTo([]) }, 'Dateline'),
      h('div', { class: 'account' }, languages(), accountMenu()),
    ),
    navigation,
    h('div', { class: 'curtain', on: { click: () => showNavigation(false) } }),
    h('div', { class: 'content' }, offline, main),
  )

  let screen: Screen | undefined
  let leaving = new AbortController()
  let shown = location.hash
  void show(false)

  const options = { signal }
  addEventListener('hashchange', (event) => void move(event), options)
  addEventListener('online', () => (offline.hidden = true), options)
  addEventListener('offline', () => (offline.hidden = false), options)
  addEventListener('keydown', onKey, options)
  addEventListener(
    'beforeunload',
    (event) => {
      if (screen?.hasUnsaved?.() === true) event.preventDefault()
    },
    options,
  )
  signal.addEventListener('abort', () => leaving.abort())

  /** The address has changed already; where the reader must not leave, it is set back. */
  async function move({ oldURL }: HashChangeEvent): Promise<void> {
    const wanted = location.hash
    // A screen may have noted its state in the address since it was opened.
    if (oldURL !== '') shown = new URL(oldURL).hash
    if (wanted === shown) return
    if (screen?.mayLeave !== undefined && screen.hasUnsaved?.() !== false) {
      history.replaceState(null, '', shown === '' ? './' : shown)
      if (!(await screen.mayLeave()) || signal.aborted) return
      history.replaceState(null, '', wanted)
    }
    await show(true)
  }

  async function show(isMove: boolean): Promise<void> {
    shown = location.hash
    leaving.abort()
    leaving = new AbortController()
    showNavigation(false)
    const place = currentPlace()
    const entry = entries.find(({ path }) => path === (place.segments[0] ?? ''))
    const { signal: left } = leaving
    screen = undefined
    try {
      const loaded = entry?.load(place)
      if (loaded instanceof Promise) fill(main, skeleton(6))
      const open = await loaded
      if (left.aborted) return
      screen = open?.({ client, user, place, signal: left, restart }) ?? nowhere(place)
    } catch (error) {
      // A part of the page that cannot be fetched: the service is away, or it is another version by now.
      if (!left.aborted)
        fill(
          main,
          failureState(error, () => void show(isMove)),
        )
      return
    }
    fill(main, screen.element)
    document.title = `${screen.title} · Dateline`
    for (const [i, link] of links.entries()) {
      if (entries[i] === entry) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
    if (!isMove) return
    // Who cannot see it hears that another screen is there.
    main.focus({ preventScroll: true })
    scrollTo(0, 0)
  }

  function onKey(event: KeyboardEvent): void {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, [role=combobox]')
    const isModal = document.querySelector('dialog[open]') !== null
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
      event.preventDefault()
      if (!isModal) screen?.save?.()
    } else if (event.ctrlKey || event.metaKey || event.altKey || isTyping || isModal) {
      return
    } else if (event.key === '/' && screen?.search !== undefined) {
      event.preventDefault()
      screen.search.focus()
    } else if (event.key === '?') {
      event.preventDefault()
      openHelp()
    } else if (event.key === 'Escape') showNavigation(false)
  }

  function showNavigation(isShown: boolean): void {
    document.body.classList.toggle('navigating', isShown)
    menuButton.setAttribute('aria-expanded', String(isShown))
    if (isShown) links[0]?.focus()
  }

  function skip(event: MouseEvent): void {
    event.preventDefault()
    main.focus()
  }

  function accountMenu(): HTMLElement {
    const { email } = user
    const name = t('shell.account', { email })
    const item = (words: string, run: () => void): HTMLElement =>
      h('button', { type: 'button', class: 'plain', on: { click: run } }, words)
    const menu = dropDown({
      name,
      signal,
      label: [icon('user'), h('span', { class: 'spoken' }, name), h('bdi', { 'aria-hidden': 'true' }, email)],
      content: () => [
        h('p', { class: 'soft' }, h('bdi', {}, email)),
        item(t('help.title'), () => {
          menu.close()
          menu.element.querySelector('button')?.focus()
          openHelp()
        }),
        item(t('shell.signOut'), () => void leaveFor(signOut)),
      ],
    })
    menu.element.classList.add('account-menu')
    return menu.element
  }

  /** Does what takes the screen away, unless the reader would rather keep what is typed there. */
  async function leaveFor(run: () => void): Promise<boolean> {
    if (screen?.hasUnsaved?.() === true && (await screen.mayLeave?.()) === false) return false
    run()
    return true
  }

  function languages(): HTMLElement {
    const select = languageChoice((code) => {
      void leaveFor(() => chooseLanguage(code)).then((isLeft) => {
        if (!isLeft) select.value = currentLanguage()
      })
    })
    return select
  }
}

function navigationLink({ path, title, icon: iconName }: ScreenEntry): HTMLAnchorElement {
  return h('a', { href: hrefTo(path === '' ? [] : [path]) }, icon(iconName), h('span', {}, title))
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
