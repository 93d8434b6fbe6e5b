/** Groups: `(…)`, `(?:…)`, `(?<name>…)`, `(?i-s:…)`, and look-around, which is read to be reported. */
import { addName, closeScope, readGroupName } from './group-names.ts'
import { accept, INVALID_PATTERN, takeMatch } from './pattern-reader.ts'
import { innermost, newFrame, report, type Frame, type Modes, type Reading } from './pattern-reading.ts'
import { choice, EMPTY, sequence, type PatternNode } from './pattern-tree.ts'

const MODIFIERS = /([ims]*)(?:(-)([ims]*))?:/y

/** Takes the parenthesis that opens a group, and what says of which kind it is. */
export function openGroup(reading: Reading): void {
  const { reader, open } = reading
  const { modes } = innermost(reading)
  const start = reader.at
  reader.at++
  if (!accept(reader, '?')) {
    open.push(newFrame('group', modes))
    return
  }
  for (const [text, kind, construct] of LOOK_AROUND) {
    if (!accept(reader, text)) continue
    report(reading, construct, start)
    open.push(newFrame(kind, modes))
    return
  }
  if (accept(reader, '<')) {
    const name = readGroupName(reader)
    addName(
      open.map(({ names }) => names),
      name,
    )
    reading.names.add(name)
    open.push(newFrame('group', modes))
    return
  }
  const found = takeMatch(reader, MODIFIERS)
  if (found === undefined) throw INVALID_PATTERN
  open.push(newFrame('group', changed(modes, found[1] as string, found[3])))
}

const LOOK_AROUND = [
  ['=', 'look-ahead', 'look-ahead'],
  ['!', 'look-ahead', 'negative look-ahead'],
  ['<=', 'look-behind', 'look-behind'],
  ['<!', 'look-behind', 'negative look-behind'],
] as const

/** `(?i-m:…)`: each letter once; a hyphen alone says nothing and is an error. `off` is undefined without a hyphen. */
function changed(modes: Modes, on: string, off: string | undefined): Modes {
  const letters = on + (off ?? '')
  if (new Set(letters).size < letters.length || (off !== undefined && letters === '')) throw INVALID_PATTERN
  const mode = (letter: keyof Modes): boolean => on.includes(letter) || (modes[letter] && off?.includes(letter) !== true)
  return { i: mode('i'), m: mode('m'), s: mode('s') }
}

/** Ends the innermost group. Says whether a quantifier may follow: annex B allows one after a look-ahead. */
export function closeGroup({ reader, open }: Reading): boolean {
  const frame = open.pop()
  const outer = open.at(-1)
  if (frame === undefined || outer === undefined) throw INVALID_PATTERN
  closeScope(frame.names, outer.names)
  outer.terms.push(frame.kind === 'group' ? disjunction(frame) : EMPTY)
  return frame.kind === 'group' || (frame.kind === 'look-ahead' && !reader.unicode)
}

/** What has been read of a group. */
export function disjunction({ alternatives, terms }: Frame): PatternNode {
  return choice([...alternatives, sequence(terms)])
}
