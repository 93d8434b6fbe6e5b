/** The name of a limit says whose it is and what it limits: `guestSavedFiltersLimit`. */

/** The role of the app that each first part stands for. */
export const LIMITED = { guest: 'guestUser', authenticated: 'standardUser', premium: 'premiumUser' } as const

export interface LimitName {
  readonly who: keyof typeof LIMITED
  /** `SavedFiltersLimit` */
  readonly what: string
}

export function readLimitName(name: string): LimitName | undefined {
  const [, who, what] = /^(guest|authenticated|premium)([A-Z]\w*)$/.exec(name) ?? []
  return who === undefined || what === undefined ? undefined : { who: who as LimitName['who'], what }
}
