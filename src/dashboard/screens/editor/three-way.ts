/** What two people made of one document, member by member, and what becomes of it. */
import type { Json } from '../../../client/client.ts'
import { memberOf, type Members } from '../../any-documents.ts'
import { isSame } from '../../document-difference.ts'

export interface Difference {
  readonly name: string
  /** Undefined where the member is not there. */
  readonly before: Json | undefined
  readonly mine: Json | undefined
  readonly theirs: Json | undefined
  readonly changedBy: 'me' | 'them' | 'both'
}

export type Choice = 'mine' | 'theirs'

/** The members that are not the same in mine and theirs, in the order of mine. */
export function differences(before: Members, mine: Members, theirs: Members): readonly Difference[] {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  return [...names].flatMap((name): readonly Difference[] => {
    const [was, my, their] = [before, mine, theirs].map((one) => memberOf(one, name))
    if (isSame(my, their)) return []
    const changedBy = isSame(was, their) ? 'me' : isSame(was, my) ? 'them' : 'both'
    return [{ name, before: was, mine: my, theirs: their, changedBy }]
  })
}

/** What only they changed is theirs; what the reader changed stays until the reader gives it up. */
export function likelyChoice({ changedBy }: Difference): Choice {
  return changedBy === 'them' ? 'theirs' : 'mine'
}

/**
 * Whether they changed nothing but copies of other documents, which have followed, or its turn in review: the reader need not
 * decide.
 */
export function hasOnlyFollowed(different: readonly Difference[]): boolean {
  return different.every(({ name, changedBy, before, theirs }) => {
    const id = memberOf(before, 'id')
    return changedBy === 'me' || name === 'handedInAt' || (typeof id === 'string' && memberOf(theirs, 'id') === id)
  })
}

/** What publishing changes besides the content: the times of a draft end with it. */
const OF_PUBLISHING: ReadonlySet<string> = new Set(['status', 'publishedAt', 'publishAt', 'handedInAt'])

/** Whether one version is the other, published as it was. */
export function isPublishedAs(before: Members, now: Members): boolean {
  const different = differences(before, before, now).filter(({ name }) => !OF_PUBLISHING.has(name))
  return before['status'] !== 'active' && now['status'] === 'active' && hasOnlyFollowed(different)
}

/** Mine, with theirs where that was chosen. */
export function merged(
  mine: Members,
  different: readonly Difference[],
  choiceFor: (difference: Difference) => Choice,
): Members {
  const taken = different.filter((difference) => choiceFor(difference) === 'theirs')
  const given = taken.flatMap(({ name, theirs }): [string, Json][] => (theirs === undefined ? [] : [[name, theirs]]))
  const left = Object.entries(mine).filter(([name]) => !taken.some((one) => one.name === name))
  return Object.fromEntries([...left, ...given])
}
