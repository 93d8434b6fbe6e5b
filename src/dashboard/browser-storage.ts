/**
 * What the browser keeps for us: the token, for the tab or, where the reader wants to stay signed in, for the browser; and
 * small choices such as the language. Storage can be switched off, and then nothing is kept.
 */
import { nameHere } from './api-url.ts'

const tokenName = (): string => nameHere('dateline.token')
const CHOICES = 'dateline.choices'
const CHOICES_CHARS_MAX = 10_000

export type Kept = 'tab' | 'browser'

export function storedToken(): string | undefined {
  return attempt(() => sessionStorage.getItem(tokenName()) ?? localStorage.getItem(tokenName())) ?? undefined
}

/** Where the token that is in use is kept. */
export function tokenIsKeptBy(): Kept {
  const isKept = attempt(() => sessionStorage.getItem(tokenName()) === null && localStorage.getItem(tokenName()) !== null)
  return isKept === true ? 'browser' : 'tab'
}

export function storeToken(token: string, kept: Kept): void {
  const [storage, other] =
    kept === 'browser' ? [() => localStorage, () => sessionStorage] : [() => sessionStorage, () => localStorage]
  // In this order other tabs never see that there is none.
  attempt(() => storage().setItem(tokenName(), token))
  attempt(() => other().removeItem(tokenName()))
}

/** A tab may have a session of its own beside the one that the browser keeps: what is another token stays. */
export function forgetToken(token: string): void {
  for (const storage of [() => sessionStorage, () => localStorage]) {
    attempt(() => {
      if (storage().getItem(tokenName()) === token) storage().removeItem(tokenName())
    })
  }
}

/** Runs when another tab signs in or out of the session that the browser keeps. */
export function onTokenChangedElsewhere(run: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === tokenName() || key === null) run()
  })
}

/** Runs when another tab has stored a small choice. */
export function onChoicesChangedElsewhere(run: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === CHOICES || key === null) run()
  })
}

/** A small choice of the reader, such as `language`. */
export function storedChoice(name: string): string | undefined {
  return choices()[name]
}

export function storeChoice(name: string, value: string | undefined): void {
  const { [name]: _, ...rest } = choices()
  const text = JSON.stringify(value === undefined ? rest : { ...rest, [name]: value })
  if (text.length <= CHOICES_CHARS_MAX) attempt(() => localStorage.setItem(CHOICES, text))
}

function choices(): Readonly<Record<string, string>> {
  const read: unknown = attempt(() => JSON.parse(localStorage.getItem(CHOICES) ?? '{}') as unknown)
  if (typeof read !== 'object' || read === null) return {}
  return Object.fromEntries(
    Object.entries(read).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** A text by its name; undefined where there is none. */
export function storedText(name: string): string | undefined {
  return attempt(() => localStorage.getItem(name)) ?? undefined
}

/** Stores a text, or removes it; does nothing where the browser has no room. */
export function storeText(name: string, text: string | undefined): void {
  attempt(() => (text === undefined ? localStorage.removeItem(name) : localStorage.setItem(name, text)))
}

export function storedNames(prefix: string): readonly string[] {
  return attempt(() => Object.keys(localStorage).filter((name) => name.startsWith(prefix))) ?? []
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
