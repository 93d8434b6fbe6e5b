/**
 * What an operator should look at, as the status of the service tells it. The message is in English; a page writes its own
 * sentence from the code and its values.
 */

/** Codes are API: they never change. */
export const CONCERN_CODES = [
  'unanswered', 'databaseMoved', 'diskShort', 'guestsDisk', 'guestsFull', 'picturesDisk', 'picturesFull', 'mailFailing', 'mailSettings',
  'backupsOff', 'backupMissing', 'backupOld', 'backupSkipped', 'offsiteFailing', 'notPublished', 'feedsFailing', 'folder',
  'logLost', 'diverged', 'noUrl', 'noQuorum', 'etcdFailing', 'notErased', 'nodeSilent', 'nodeNotStarted', 'otherSecrets', 'clock',
] as const
export type ConcernCode = (typeof CONCERN_CODES)[number]

/**
 * Values of the sentence, as text: numbers, sizes in bytes, milliseconds, an ISO date, a name; and `detail`, which no language
 * has a sentence for: a path, or what another program said.
 */
export const CONCERN_PARAMS = ['count', 'total', 'bytes', 'limit', 'ms', 'at', 'name', 'detail'] as const
type ConcernParam = (typeof CONCERN_PARAMS)[number]

export interface Concern {
  readonly code: ConcernCode
  readonly params: { readonly [name in ConcernParam]?: string }
  readonly message: string
}

/** A value that is undefined is left out. */
export function concern(code: ConcernCode, message: string, values: { readonly [name in ConcernParam]?: string | number | undefined } = {}): Concern {
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return { code, params: Object.fromEntries(given) as Concern['params'], message }
}
