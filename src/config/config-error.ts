/** A setting that cannot be used; the message names it, what was found and what is wanted. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
