/** A new Idempotency-Key, or the name of a tab among others; `crypto.randomUUID()` is not there on plain HTTP. */
export function newRequestKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
