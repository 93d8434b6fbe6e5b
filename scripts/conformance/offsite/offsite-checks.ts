/**
 * What off-site backups speak, before others: our signatures before AWS's own test suite, from the source package of botocore (PyPI);
 * our places before the servers moto (PyPI) and s3rver (npm); our files of age before Debian's `age`, in both directions.
 */
import type { Conformance } from '../conformance.ts'
import { checkAge } from './age-program.ts'
import { checkMoto, checkS3rver } from './s3-servers.ts'
import { checkSignatures } from './signature-suite.ts'

export const OFFSITE: Conformance = { checks: { signatures: checkSignatures, moto: checkMoto, s3rver: checkS3rver, age: checkAge } }
