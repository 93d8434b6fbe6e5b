/** Buttons of which one is pressed, each with how many there are of what it shows. They stay while their numbers change. */
import { numberText } from '../texts.ts'
import { button, fill, h } from './dom.ts'

export interface GroupButtonsOptions<G> {
  readonly label: string
  readonly groups: readonly G[]
  readonly titleOf: (group: G) => string
  /** Which is pressed at first. */
  readonly chosen: G
  readonly choose: (group: G) => void
}

export function groupButtons<G>({ label, groups, titleOf, chosen, choose }: GroupButtonsOptions<G>) {
  const buttons = groups.map((group) => {
    const number = h('span', { class: 'number' })
    const click = (): void => {
      press(group)
      choose(group)
    }
    return { group, number, element: button([titleOf(group), number], click, { class: 'small' }) }
  })

  function press(pressed: G): void {
    for (const { group, element } of buttons) element.setAttribute('aria-pressed', String(group === pressed))
  }

  press(chosen)
  return {
    element: h('div', { class: 'states', role: 'group', 'aria-label': label }, buttons.map(({ element }) => element)),
    press,
    showCounts(countOf: (group: G) => number): void {
      for (const { group, number } of buttons) fill(number, numberText(countOf(group)))
    },
  }
}
