/** What stands around each screen: the bar with language and account, the navigation, and word of being offline. */
import type { User } from '../models/user.ts'
import { onOwnName } from './people.ts'
import { goTo, hrefTo } from './screen-url.ts'
import { OWN_SESSIONS, SCREEN_GROUPS, type ScreenEntry } from './screens.ts'
import { PALETTE_KEY } from './shell-keys.ts'
import { currentLanguage, t, type LanguageCode } from './texts.ts'
import { avatar } from './kit/avatar.ts'
import { button, fill, h } from './kit/dom.ts'
import { hasFocus } from './kit/focus.ts'
import { dropDown } from './kit/drop-down.ts'
import { icon } from './kit/icons.ts'
import { languageChoice } from './kit/language-choice.ts'
import { themeChoice } from './kit/theme-choice.ts'

export interface FrameOptions {
  readonly entries: readonly ScreenEntry[]
  readonly user: User
  readonly question: HTMLElement | undefined
  readonly openPalette: () => void
  readonly openHelp: () => void
  readonly signOut: () => void
  /** False where the reader would rather keep what is typed. */
  readonly chooseLanguage: (code: LanguageCode) => Promise<boolean>
  /** Ends everything the frame listens to. */
  readonly signal: AbortSignal
}

/** Fills the page with it. */
export function openFrame(options: FrameOptions) {
  const { entries, question, openPalette, chooseLanguage, signal } = options
  const main = h('main', { id: 'main', tabindex: '-1' })
  const links = entries.map(navigationLink)
  const reference = h(
    'a',
    { href: 'docs', target: '_blank', rel: 'noopener' },
    icon('docs'),
    h('span', {}, t('shell.reference')),
  )
  const groups = SCREEN_GROUPS.flatMap((group) => {
    const items = links.filter((_, i) => entries[i]?.group === group).map((link) => h('li', {}, link))
    const title = t(`navigation.${group}`)
    return items.length === 0 ? [] : [h('section', {}, h('p', { 'aria-hidden': 'true' }, title), h('ul', { 'data-group': group, 'aria-label': title }, items))]
  })
  const navigation = h(
    'nav',
    { id: 'navigation', 'aria-label': t('shell.navigation') },
    h('div', { class: 'groups' }, groups),
    reference,
  )
  const turn = (): void => showNavigation(!document.body.classList.contains('navigating'))
  const menuButton = button(icon('menu'), turn, {
    class: 'plain menu-button',
    'aria-label': t('shell.menu'),
    'aria-expanded': 'false',
    'aria-controls': 'navigation',
  })
  const offline = h('p', { class: 'banner', role: 'status', hidden: navigator.onLine }, t('shell.offline'))
  addEventListener('online', () => (offline.hidden = true), { signal })
  addEventListener('offline', () => (offline.hidden = false), { signal })
  const languages = languageChoice((code) => {
    void chooseLanguage(code).then((isChosen) => {
      if (!isChosen) languages.value = currentLanguage()
    })
  })
  document.body.className = 'signed-in'
  fill(
    document.body,
    h('a', { class: 'skip', href: '#main', on: { click: skip } }, t('shell.skip')),
    h('a', { class: 'skip to-rows', href: '#main', on: { click: skipToRows } }, t('shell.skipToRows')),
    h(
      'header',
      { class: 'top' },
      menuButton,
      h('a', { class: 'brand', href: hrefTo([]) }, 'Dateline'),
      button([icon('search'), h('span', {}, t('palette.open')), h('kbd', { 'aria-hidden': 'true' }, PALETTE_KEY)], openPalette, {
        class: 'palette-button',
        'aria-keyshortcuts': 'Control+K',
      }),
      h('div', { class: 'account' }, h('span', { class: 'language-sign' }, icon('language'), languages), accountMenu(options)),
    ),
    navigation,
    h('div', { class: 'curtain', on: { click: () => showNavigation(false) } }),
    h('div', { class: 'content' }, offline, question, main),
  )

  /** Whether the navigation lies over the screen, where there is no room beside it. */
  function showNavigation(isShown: boolean): void {
    document.body.classList.toggle('navigating', isShown)
    menuButton.setAttribute('aria-expanded', String(isShown))
    if (isShown) links[0]?.focus()
    else if (hasFocus(navigation)) menuButton.focus()
  }

  function skip(event: MouseEvent): void {
    event.preventDefault()
    main.focus()
  }

  /** The row that the keys of a list are at. */
  function skipToRows(event: MouseEvent): void {
    event.preventDefault()
    main.querySelector<HTMLElement>('.row[tabindex="0"]')?.focus()
  }

  return {
    /** The place of the screen. */
    main,
    showNavigation,
    markCurrent(current: ScreenEntry | undefined): void {
      for (const [i, link] of links.entries()) {
        if (entries[i] === current) link.setAttribute('aria-current', 'page')
        else link.removeAttribute('aria-current')
      }
    },
  }
}

function accountMenu({ user, openHelp, signOut, signal }: FrameOptions): HTMLElement {
  const { email } = user
  const name = t('shell.account', { email })
  const sign = h('span', { class: 'sign' })
  const shown = h('bdi', { 'aria-hidden': 'true' })
  let own = user.displayName
  const show = (displayName: string | undefined): void => {
    own = displayName
    fill(sign, avatar(own ?? email))
    fill(shown, own ?? email)
  }
  show(own)
  onOwnName(show, signal)
  const item = (words: string, run: () => void): HTMLElement => button(words, run, { class: 'plain' })
  const menu = dropDown({
    name,
    signal,
    label: [sign, h('span', { class: 'spoken' }, name), shown],
    content: () => [
      h('p', { class: 'soft' }, h('bdi', {}, email)),
      // Colleagues see no name until there is one.
      own === undefined && item(t('shell.setName'), openAccount),
      item(t('shell.sessions'), openAccount),
      themeChoice(),
      item(t('help.title'), () => {
        menu.close()
        menu.element.querySelector('button')?.focus()
        openHelp()
      }),
      item(t('shell.signOut'), signOut),
    ],
  })
  menu.element.classList.add('account-menu')
  function openAccount(): void {
    menu.close()
    goTo(hrefTo([OWN_SESSIONS]))
  }
  return menu.element
}

function navigationLink({ path, title, icon: iconName }: ScreenEntry): HTMLAnchorElement {
  return h('a', { href: hrefTo(path === '' ? [] : [path]) }, icon(iconName), h('span', {}, title))
}
