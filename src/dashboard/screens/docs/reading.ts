/** Finding the way in the page: the section that the URL names, the contents, and folds of schemas. */
import { h } from '../../kit/dom.ts'

/** Sections are found by their id, which is the hash without its query. */
export function goToHash(): void {
  const [path = ''] = location.hash.slice(1).split('?')
  const target = document.getElementById(decoded(path))
  if (target === null) return
  if (target instanceof HTMLDetailsElement) target.open = true
  target.scrollIntoView()
  target.querySelector<HTMLElement>('[tabindex="-1"], summary')?.focus({ preventScroll: true })
}

/** Marks the section that is being read in the contents, and keeps its link in sight. */
export function setUpContents(contents: HTMLElement): void {
  const links = new Map([...contents.querySelectorAll('a')].map((link) => [decoded(link.hash.slice(1)), link]))
  const sections = [...document.querySelectorAll('main section')].filter(({ id }) => links.has(id))
  const mark = (): void => {
    // People read a line below the top of the window.
    const section = sections.findLast((one) => one.getBoundingClientRect().top < innerHeight / 4)
    const link = links.get(section?.id ?? '')
    if (link === undefined || link.hasAttribute('aria-current')) return
    contents.querySelector('[aria-current]')?.removeAttribute('aria-current')
    link.setAttribute('aria-current', 'true')
    const [{ top, bottom }, frame] = [link.getBoundingClientRect(), contents.getBoundingClientRect()]
    if (top < frame.top || bottom > frame.bottom) contents.scrollTop += top - frame.top - frame.height / 3
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
  // On small windows the contents open over the page.
  contents.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('a') !== null && contents.matches(':popover-open')) contents.hidePopover()
  })
}

/** Copies the members of a schema from its own section into the fold that names it, once that is opened. */
export function setUpFolds(): void {
  const unfold = ({ target }: Event): void => {
    if (!(target instanceof HTMLDetailsElement) || target.children.length > 1) return
    const schema = document.getElementById(`/schemas/${target.dataset['members'] ?? ''}`)
    const members = [...(schema?.children ?? [])].slice(1).map((one) => one.cloneNode(true))
    target.append(h('div', {}, members))
  }
  // A toggle does not bubble.
  document.addEventListener('toggle', unfold, { capture: true })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
