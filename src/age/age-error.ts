/** A file or key of age that cannot be used; the message is one sentence for the operator, without secrets. */
export class AgeError extends Error {
  override readonly name = 'AgeError'
}
