/** What a reader means by ticking columns in one tab. */
import { columnChoice, hidden, tabDate, type ListRules, type ListState } from './list-state.ts'

/**
 * The columns for all tabs. The date of the tab, which is shown there unasked, becomes none of them by staying ticked; where its tick
 * is taken away, it is hidden in the tab.
 */
export function columnsTicked(ticked: readonly string[], state: ListState, rules: ListRules): readonly string[] {
  const before = columnChoice(state, rules)
  const date = tabDate(state, rules)
  const kept = ticked.filter((name) => name !== date || before.includes(name))
  const isHidden = (name: string): boolean => !ticked.includes(name) && (name === date || before.includes(hidden(name)))
  return [...kept, ...rules.columns.filter(isHidden).map(hidden)]
}
