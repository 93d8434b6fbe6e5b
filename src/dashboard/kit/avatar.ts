/** The initials of a person in a circle. They say nothing by themselves: the name stands beside them, or is read out. */
import { h } from './dom.ts'
import { initialsOf } from '../people.ts'

export function avatar(name: string): HTMLElement {
  return h('span', { class: 'avatar', 'aria-hidden': 'true', translate: 'no' }, initialsOf(name))
}
