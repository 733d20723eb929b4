job "a" = {
}
job b {
}
job "c"
{
}
