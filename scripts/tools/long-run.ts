/**
 * How many cases a long random run takes: a few in `npm test`, all of them in the nightly run, which sets TEST_LONG=1.
 */
export function longRun(short: number, long: number): number {
  return process.env['TEST_LONG'] === '1' ? long : short
}

/** The same of a test that `npm run fuzz -- NAME CASES` runs: there it has as many cases as that says. */
export function fuzzRun(short: number, long: number): number {
  return Number(process.env['FUZZ_CASES'] ?? longRun(short, long))
}
