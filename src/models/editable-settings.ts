/**
 * The settings that administrators may change while the service runs. They are stored in the database, apply immediately, and
 * yield to a flag, a variable and the settings file.
 *
 * The list is strict, and its ranges are narrower than those of flags: what is in it can neither lock the operator out
 * nor open the machine. So no directory, program, address to listen on, proxy or switch of a protection is in it, a limit
 * on codes cannot be turned off or made too low to sign in, and records of the audit trail stay for a month at least.
 */

export const EDITABLE_GROUPS = ['names', 'publishing', 'mail', 'backups', 'limits', 'retention'] as const

export const EDITABLE_KINDS = ['text', 'whole', 'choice', 'secret'] as const

export interface Editable {
  readonly group: (typeof EDITABLE_GROUPS)[number]
  readonly kind: (typeof EDITABLE_KINDS)[number]
  /** Of a whole number. */
  readonly min?: number
  readonly max?: number
  /** A whole number may also be 0, which the meaning of the setting explains. */
  readonly zero?: true
  readonly choices?: readonly string[]
  /** Further settings whose operator decides about this one as well. */
  readonly yieldsTo?: readonly string[]
}

/** Where the operator says how mail is sent, a stored server must not get the operator's password. */
const MAIL_GIVEN: readonly string[] = ['mail', 'mailPasswordFile', 'mailTokenFile']

/** The operator's keys are for the operator's places. */
const OFFSITE_GIVEN: readonly string[] = ['offsite', 'offsiteKeysFile']

export const EDITABLE = {
  appName: { group: 'names', kind: 'text' },
  publicUrl: { group: 'names', kind: 'text' },
  invitationUrl: { group: 'names', kind: 'text' },
  review: { group: 'publishing', kind: 'choice', choices: ['on', 'off'] },
  mail: { group: 'mail', kind: 'text', yieldsTo: MAIL_GIVEN },
  mailPassword: { group: 'mail', kind: 'secret', yieldsTo: MAIL_GIVEN },
  mailFrom: { group: 'mail', kind: 'text', yieldsTo: ['mailDkimKey'] },
  mailTls: { group: 'mail', kind: 'choice', choices: ['starttls', 'starttls-if-offered', 'none'], yieldsTo: MAIL_GIVEN },
  backupEvery: { group: 'backups', kind: 'text' },
  backupKeep: { group: 'backups', kind: 'whole', min: 1, max: 1_000 },
  offsite: { group: 'backups', kind: 'text', yieldsTo: OFFSITE_GIVEN },
  offsiteKeys: { group: 'backups', kind: 'secret', yieldsTo: OFFSITE_GIVEN },
  offsiteEvery: { group: 'backups', kind: 'text' },
  offsiteKeep: { group: 'backups', kind: 'text' },
  codesPerEmail: { group: 'limits', kind: 'whole', min: 3, max: 100 },
  codesPerAddress: { group: 'limits', kind: 'whole', min: 10, max: 100_000 },
  wrongCodesPerAddress: { group: 'limits', kind: 'whole', min: 10, max: 10_000 },
  wrongCodesPerEmail: { group: 'limits', kind: 'whole', min: 20, max: 1_000 },
  guestsPerAddress: { group: 'limits', kind: 'whole', min: 1, max: 1_000_000 },
  dataPerUser: { group: 'limits', kind: 'whole', min: 60, max: 1_000_000 },
  auditDays: { group: 'retention', kind: 'whole', min: 30, max: 3_650, zero: true },
  guestDays: { group: 'retention', kind: 'whole', min: 7, max: 3_650, zero: true },
  guestsMb: { group: 'retention', kind: 'whole', min: 16, max: 1_048_576, zero: true },
  mediaMax: { group: 'retention', kind: 'whole', min: 16, max: 16_777_216, zero: true },
  historyDays: { group: 'retention', kind: 'whole', min: 7, max: 3_650 },
  trashDays: { group: 'retention', kind: 'whole', min: 1, max: 3_650 },
} as const satisfies Readonly<Record<string, Editable>>

export type EditableName = keyof typeof EDITABLE
export const EDITABLE_NAMES = Object.keys(EDITABLE) as readonly EditableName[]
export const EDITABLE_CHARS_MAX = 1_000

/** What mail depends on: a change of one is tested by a mail before it is stored. */
export const MAIL_NAMES = EDITABLE_NAMES.filter((name) => EDITABLE[name].group === 'mail')

/** The settings that no flag has: other users can see the arguments of a process. */
export const MAIL_PASSWORD = 'mailPassword'
export const OFFSITE_KEYS = 'offsiteKeys'

export function isFlagless(name: EditableName): name is typeof MAIL_PASSWORD | typeof OFFSITE_KEYS {
  return name === MAIL_PASSWORD || name === OFFSITE_KEYS
}

export function isEditable(name: string): name is EditableName {
  return Object.hasOwn(EDITABLE, name)
}

/** The same for all of a list, whose literal types would know of no other members. */
export function editable(name: EditableName): Editable {
  return EDITABLE[name]
}
