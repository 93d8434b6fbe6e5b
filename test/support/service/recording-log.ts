/** The old name of a module that moved to scripts/tools, for the tests that import it. */
export * from '../../../scripts/tools/recording-log.ts'
