/**
 * A value that is usually at hand, and sometimes awaited: most reads have nothing to wait for, and each `await` costs a
 * turn of the microtask queue and three objects.
 */
export type Awaitable<T> = T | Promise<T>

/** Calls `use` with the value: immediately where it is at hand. What `use` throws is thrown, or rejects the promise. */
export function withValue<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** The value of `work`, or what `recover` makes of its error, thrown or rejected. What `recover` throws is thrown, or rejects the promise. */
export function withRecovery<T>(work: () => Awaitable<T>, recover: (error: unknown) => T): Awaitable<T> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(recover) : value
  } catch (error) {
    return recover(error)
  }
}
