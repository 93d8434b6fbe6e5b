/** Seeded random choices, so that a failing random test can be run again: `SEED=123 node --test …`. */
import type { Json } from '../../src/base/json.ts'
import { longRun } from './long-run.ts'

export interface Random {
  readonly seed: number
  /** A whole number from 0 up to, but without, the limit. */
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
  /** True once in `odds` times. */
  oneIn(odds: number): boolean
  list<Item>(lengthMax: number, make: () => Item): Item[]
}

/** The seed of this run: `SEED` of the environment, or a new one. Tests print it when they fail. */
export function seedOfRun(): number {
  const given = Number(process.env['SEED'])
  if (Number.isSafeInteger(given) && given > 0) return given
  return 1 + ((process.pid * 7919 + Math.floor(performance.now() * 1000)) % 1e9)
}

/** The seed of a random test in `npm test`: always the same, so that it never fails by chance. The night takes new ones. */
export function seedOfTest(): number {
  return process.env['SEED'] === undefined && longRun(0, 1) === 0 ? 1 : seedOfRun()
}

/** Marsaglia's xorshift with 32 bits: enough for tests, and the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0 || 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
  for (let i = 0; i < 8; i++) next()
  const below = (limit: number): number => next() % limit
  return {
    seed,
    below,
    pick: (items) => {
      if (items.length === 0) throw new Error('Nothing to pick from')
      return items[below(items.length)] as (typeof items)[number]
    },
    oneIn: (odds) => below(odds) === 0,
    list: (lengthMax, make) => Array.from({ length: below(lengthMax + 1) }, make),
  }
}

export interface JsonShape {
  readonly keys: readonly string[]
  readonly scalars: readonly Json[]
  readonly depthMax: number
}

/** Any JSON value made of the given keys and scalars. */
export function randomJson(random: Random, shape: JsonShape): Json {
  const kind = shape.depthMax <= 0 ? 0 : random.below(5)
  const inner = { ...shape, depthMax: shape.depthMax - 1 }
  if (kind <= 2) return random.pick(shape.scalars)
  if (kind === 3) return random.list(3, () => randomJson(random, inner))
  return Object.fromEntries(random.list(3, () => [random.pick(shape.keys), randomJson(random, inner)]))
}
