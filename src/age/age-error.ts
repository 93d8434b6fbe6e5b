/** A file or key of age that cannot be used; the message is one sentence for the operator, without secrets. */
export class AgeError extends Error {
  override readonly name: string = 'AgeError'
}

/** What was encrypted is cut off, was changed, or is no file of age. */
export class DamagedAge extends AgeError {
  override readonly name = 'DamagedAge'
}
